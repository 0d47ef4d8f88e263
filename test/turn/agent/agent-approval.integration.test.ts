import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import {
  itemsIn,
  mcpTool,
  openAgentEnvironment,
  ScriptedTools,
  type AgentEnvironment,
  type EndedTurn,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel } from "./scripted-model.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

const hello = { type: "message", role: "user", content: "Hello?" };
const call = callOf("shop_buy", { sku: 1 });

const guarded = (): ScriptedTools =>
  new ScriptedTools([mcpTool("buy", { needsApproval: true }), mcpTool("look")]);

/** A turn that ended because a tool needs an approval. */
async function asking(tools = guarded()): Promise<EndedTurn & { readonly approvalId: string }> {
  const calls = [call, callOf("shop_look", {})];
  const turn = await ground.run(new ScriptedModel(() => ({ output: calls })), { tools });
  const output = turn.response["output"] as readonly JsonObject[];
  return { ...turn, approvalId: String(output.at(-1)?.["id"]) };
}

/** The turn after it, with this input. */
async function answering(
  { items = [] }: EndedTurn,
  ...input: readonly JsonObject[]
): Promise<{ readonly model: ScriptedModel; readonly tools: ScriptedTools; turn: EndedTurn }> {
  const model = new ScriptedModel(() => ({ output: [message("Done.")] }));
  const tools = guarded();
  const turn = await ground.run(model, { history: items, input, tools });
  return { model, tools, turn };
}

/** The approval of one of the calls that a turn asked about. */
function approvalOf({ items = [] }: EndedTurn, place: number): JsonObject {
  const requests = items.filter(({ type }) => type === "mcp_approval_request");
  return {
    type: "mcp_approval_response",
    approval_request_id: requests[place]?.["id"],
    approve: true,
  };
}

describe("a tool that needs an approval", () => {
  it("[agent.approval] is asked for by an item that ends the turn, when the other calls have been made", async () => {
    const tools = guarded();
    const turn = await asking(tools);
    expect(tools.calls.map(({ tool }) => tool.name)).toEqual(["shop_look"]);
    expect(turn.response).toMatchObject({
      status: "completed",
      output: [
        { type: "mcp_call", name: "look", status: "completed" },
        {
          type: "mcp_approval_request",
          server_label: "shop",
          name: "buy",
          arguments: '{"sku":1}',
        },
      ],
    });
    expect(turn.faults).toEqual([]);
    expect(turn.items?.at(-1)).toMatchObject({
      type: "mcp_approval_request",
      call_id: call["call_id"],
    });
  });

  it("[agent.approval] is called first in the next turn where its caller approves", async () => {
    const asked = await asking();
    const { approvalId } = asked;
    const approval = {
      type: "mcp_approval_response",
      approval_request_id: approvalId,
      approve: true,
    };
    const { model, tools, turn } = await answering(asked, approval);
    expect(tools.calls.map(({ callName }) => callName)).toEqual([`${turn.id}/0/1`]);
    expect(turn.response).toMatchObject({
      status: "completed",
      output: [
        { type: "mcp_call", name: "buy", approval_request_id: approvalId, status: "completed" },
        message("Done."),
      ],
    });
    expect(turn.faults).toEqual([]);
    const output = {
      type: "function_call_output",
      call_id: call["call_id"],
      output: 'did {"sku":1}',
    };
    expect(itemsIn(model.bodies()[0]).slice(-1)).toEqual([output]);
    expect(itemsIn(model.bodies()[0]).map(({ type }) => type)).not.toContain(
      "mcp_approval_request",
    );
    expect(turn.items).toEqual([output, message("Done.")]);
    // What was answered once is not called again by a later turn of the thread.
    const later = await answering(
      { ...turn, items: [...(asked.items ?? []), ...(turn.items ?? [])] },
      hello,
      approval,
    );
    expect(later.tools.calls).toEqual([]);
  });

  it.each([
    ["refused", { approve: false, reason: "Too dear." }, /refused: Too dear\./],
    ["not answered", undefined, /approval was not given/],
  ])(
    "[agent.approval] is not called where that is %s, and the model is told",
    async (_name, answer, told) => {
      const asked = await asking();
      const answers =
        answer === undefined
          ? []
          : [
              {
                type: "mcp_approval_response",
                approval_request_id: asked.approvalId,
                ...answer,
              },
            ];
      const { model, tools, turn } = await answering(asked, ...answers, hello);
      expect(tools.calls).toEqual([]);
      const items = itemsIn(model.bodies()[0]);
      expect(items.at(-1)).toEqual(hello);
      expect(items.at(-2)).toMatchObject({ call_id: call["call_id"] });
      expect(items.at(-2)?.["output"]).toMatch(told);
      expect(turn.response["status"]).toBe("completed");
      expect(turn.faults).toEqual([]);
    },
  );

  it.each([
    ["of an older version, which does not say which server it means", "", /older version/],
    ["that asks about another server", `_${"A".repeat(16)}`, /is not there in this turn/],
  ])("[agent.approval] is not called for a request %s", async (_what, end, told) => {
    const asked = await asking();
    const id = asked.approvalId;
    const other = `${id.slice(0, -34)}${end}`;
    const items = asked.items?.map((item) => (item["id"] === id ? { ...item, id: other } : item));
    const approval = { type: "mcp_approval_response", approval_request_id: other, approve: true };
    const { model, tools } = await answering({ ...asked, items }, approval);
    expect(tools.calls).toEqual([]);
    expect(itemsIn(model.bodies()[0]).at(-1)?.["output"]).toMatch(told);
  });

  it("[agent.approval] is called with the approved arguments when the model repeats the id of the call", async () => {
    const calls = [call, callOf("shop_buy", { sku: 1000 })];
    const asked = await ground.run(new ScriptedModel(() => ({ output: calls })), {
      tools: guarded(),
    });
    const { model, tools } = await answering(asked, approvalOf(asked, 0));
    expect(tools.calls.map(({ arguments: text }) => text)).toEqual(['{"sku":1}']);
    const items = itemsIn(model.bodies()[0]);
    expect(items.filter(({ type }) => type === "function_call_output")).toMatchObject([
      { call_id: "call_shop_buy", output: 'did {"sku":1}' },
      { call_id: "call_shop_buy_2", output: expect.stringMatching(/approval was not given/) },
    ]);
    const second = await answering(asked, approvalOf(asked, 1));
    expect(second.tools.calls.map(({ arguments: text }) => text)).toEqual(['{"sku":1000}']);
  });

  it.each([
    ["another call for an approval", callOf("shop_buy", { sku: 1000 }), 2],
    ["a call that needs none", callOf("shop_look", { sku: 1000 }, "call_shop_buy"), 1],
  ])(
    "[agent.approval] is called with the approved arguments when a stored thread repeats its id in %s",
    async (_name, repeated, count) => {
      const calls = [call, { ...repeated, call_id: "call_other" }];
      const asked = await ground.run(new ScriptedModel(() => ({ output: calls })), {
        tools: guarded(),
      });
      // Older versions stored the ids as the endpoint sent them.
      const items = (asked.items ?? []).map((item) =>
        item["call_id"] === "call_other" ? { ...item, call_id: call["call_id"] } : item,
      );
      expect(items.filter(({ type }) => type === "mcp_approval_request")).toHaveLength(count);
      const { tools } = await answering({ ...asked, items }, approvalOf(asked, 0));
      expect(tools.calls.map(({ arguments: text }) => text)).toEqual(['{"sku":1}']);
    },
  );

  it("[agent.approval] is an error to the model where its caller cannot be asked", async () => {
    const model = new ScriptedModel((_body, number) => ({
      output: number === 1 ? [call] : [message("Then not.")],
    }));
    const tools = guarded();
    const turn = await ground.run(model, { tools, agent: { canApprove: false } });
    expect(tools.calls).toEqual([]);
    expect(itemsIn(model.bodies()[1]).at(-1)?.["output"]).toMatch(/cannot be given here/);
    expect(turn.response["status"]).toBe("completed");
  });
});
