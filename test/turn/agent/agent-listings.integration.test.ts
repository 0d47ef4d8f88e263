/** Items that tell what the servers have which a request declares. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { AgentToolsetSnapshot, McpToolListing } from "../../../src/domain/agent-turn.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { openAgentEnvironment, ScriptedTools, type AgentEnvironment } from "./agent-environment.ts";
import { message, ScriptedModel } from "./scripted-model.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

const tools = [
  { name: "buy", description: null, input_schema: { type: "object" }, annotations: {} },
];
const shop: McpToolListing = { label: "shop", tools, error: undefined };
const done = () => new ScriptedModel(() => ({ output: [message("Done.")] }));

/** Tools of servers that have answered this. */
class ListedTools extends ScriptedTools {
  readonly #listings: readonly McpToolListing[];

  constructor(...listings: readonly McpToolListing[]) {
    super([]);
    this.#listings = listings;
  }

  override async buildToolset(
    receiver: unknown,
    declared: readonly JsonObject[],
  ): Promise<AgentToolsetSnapshot> {
    return { ...(await super.buildToolset(receiver, declared)), listings: this.#listings };
  }
}

describe("what a declared server has", () => {
  it("[agent.hosted-listed] is told once, whichever process goes on", async () => {
    const id = await ground.start({});
    const pause = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    const half = new ScriptedModel(() => ({ output: [message("Half.")], pause }));
    const taken = await ground.take(half, { tools: new ListedTools(shop) });
    await waitUntil(async () => JSON.stringify((await ground.ended(id)).events).includes("Half."));
    await taken.kill();
    await (
      await ground.take(done(), { tools: new ListedTools() })
    ).running;
    const turn = await ground.ended(id);
    expect(turn.faults).toEqual([]);
    const told = turn.events.filter(({ data }) => data.includes("mcpl_"));
    expect(told.map(({ name }) => name)).toEqual([
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(turn.response["output"]).toMatchObject([
      { type: "mcp_list_tools", server_label: "shop", tools, error: null },
      { type: "message" },
      { type: "message" },
    ]);
    expect(turn.items?.[0]).toMatchObject({ type: "mcp_list_tools", server_label: "shop" });
  });

  it("is told again where it is another, or failed, and never to the model", async () => {
    const ran = async (listing: McpToolListing, history: readonly JsonObject[]) => {
      const model = done();
      const turn = await ground.run(model, { tools: new ListedTools(listing), history });
      expect(JSON.stringify(model.bodies())).not.toContain("mcp_list_tools");
      const told = (turn.items ?? []).filter(({ type }) => type === "mcp_list_tools");
      return { told, items: [...history, ...(turn.items ?? [])] };
    };
    const first = await ran(shop, []);
    expect(first.told).toHaveLength(1);
    const same = await ran(shop, first.items);
    expect(same.told).toEqual([]);
    const failed = await ran({ label: "shop", tools: [], error: "It is down." }, same.items);
    expect(failed.told).toMatchObject([{ tools: [], error: "It is down." }]);
    const again = await ran(shop, failed.items);
    expect(again.told).toMatchObject([{ tools, error: null }]);
    expect((await ran({ ...shop, label: "other" }, again.items)).told).toHaveLength(1);
    expect((await ran({ ...shop, tools: [] }, again.items)).told).toHaveLength(1);
  });
});
