import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { AgentToolCall, AgentToolResult } from "../../../src/domain/agent-turn.ts";
import type { TurnModelCallInput } from "../../../src/domain/durable-turn.ts";
import { waitUntil } from "../../support/wait-until.ts";
import {
  itemsIn,
  mcpTool,
  openAgentEnvironment,
  ownTool,
  ScriptedTools,
  textResult,
  type AgentEnvironment,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel } from "./scripted-model.ts";
import { loadContext } from "../load-context.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

const tools = [ownTool("look"), mcpTool("buy"), mcpTool("count", { mayRepeat: true })];

/** Hangs until it is stopped. */
async function hang({ signal }: Pick<AgentToolCall, "signal">): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw new Error("aborted");
}

async function pause({ signal }: Pick<AgentToolCall, "signal">): Promise<void> {
  await hang({ signal }).catch(() => undefined);
}

function saying(...outputs: readonly (readonly JsonObject[])[]): ScriptedModel {
  return new ScriptedModel(({ input }) => {
    const asked = (input as readonly JsonObject[]).filter(
      ({ type }) => type === "function_call_output",
    );
    return { output: outputs[asked.length > 0 ? 1 : 0] ?? [] };
  });
}

describe("an agent's turn whose process dies", () => {
  it("[agent.model-call-repeated] during a model call asks again with the same body, marked as repeated, and closes what was half said", async () => {
    const half = new ScriptedModel(() => ({ output: [message("Half.")], pause }));
    const id = await ground.start({});
    const taken = await ground.take(half, {});
    await waitUntil(async () => (await ground.ended(id)).events.length > 6);
    const before = (await ground.ended(id)).events;
    await taken.kill();
    const model = new ScriptedModel(() => ({ output: [message("Whole.")] }));
    await (
      await ground.take(model, {})
    ).running;
    const turn = await ground.ended(id);
    expect(turn.events.slice(0, before.length)).toEqual(before);
    expect(turn.faults).toEqual([]);
    expect(turn.response).toMatchObject({
      status: "completed",
      output: [message("Half."), message("Whole.")],
      usage: { input_tokens: 20, output_tokens: 5 },
    });
    expect(model.lost).toEqual(["call_first"]);
    expect(model.calls[0]).toMatchObject({ isRepeated: true });
    expect(model.calls[0]?.callId).not.toBe("call_first");
    expect(itemsIn(model.bodies()[0])).toEqual(itemsIn(half.bodies()[0]));
    expect(turn.items?.slice(1)).toEqual([message("Whole.")]);
    expect(await ground.metrics()).toContain("causeway_agent_takeovers_total 1");
  });

  it("fails without another model call when five processes die in the same call", async () => {
    const id = await ground.start({});
    let said = 0;
    const saidHalf = async (call: TurnModelCallInput): Promise<void> => {
      said += 1;
      await pause(call);
    };
    const model = new ScriptedModel((_body, number) => ({
      output: [message(`Half ${number}.`)],
      pause: saidHalf,
    }));
    for (let died = 1; died <= 5; died += 1) {
      const taken = await ground.take(model, {});
      await waitUntil(() => said === died);
      await taken.kill();
    }
    await (
      await ground.take(model, {})
    ).running;
    const turn = await ground.ended(id);
    expect(turn.response).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: expect.stringContaining("5 times") },
    });
    expect(turn.faults).toEqual([]);
    expect(model.calls).toHaveLength(5);
    expect(model.lost).toEqual(model.calls.map(({ callId }) => callId));
  });

  it("goes on when each of five processes dies in the call of another step", async () => {
    const names = ["one", "two", "three", "four", "five"];
    const own = () =>
      new ScriptedTools(
        names.map((name) => ownTool(name)),
        async () => textResult("Seen."),
      );
    const id = await ground.start({});
    for (const died of names.keys()) {
      let isPaused = false;
      const model = new ScriptedModel((body) => {
        const seen = itemsIn(body).filter(({ type }) => type === "function_call_output").length;
        if (seen <= died) return { output: [callOf(names[seen] ?? "", {})] };
        const announce = (call: TurnModelCallInput): Promise<void> => {
          isPaused = true;
          return pause(call);
        };
        return { pause: announce };
      });
      const taken = await ground.take(model, { tools: own() });
      await waitUntil(() => isPaused);
      await taken.kill();
    }
    const model = new ScriptedModel(() => ({ output: [message("Done.")] }));
    await (
      await ground.take(model, { tools: own() })
    ).running;
    expect((await ground.ended(id)).response).toMatchObject({ status: "completed" });
  });

  it("[agent.tool-call-repeated] during calls of tools makes those again that may be, by the same names, and tells the model of the others", async () => {
    const calls = ["look", "shop_buy", "shop_count"].map((name) => callOf(name, { name }));
    const id = await ground.start({});
    const first = new ScriptedTools(tools, hang);
    const asked = saying(calls);
    const taken = await ground.take(asked, { tools: first });
    await waitUntil(() => first.calls.length === 3);
    await taken.kill();
    // Whatever it is offered now, it works with what it began with.
    const second = new ScriptedTools([]);
    const model = saying([], [message("Done.")]);
    await (
      await ground.take(model, { tools: second })
    ).running;
    const turn = await ground.ended(id);
    expect(second.outfits).toBe(0);
    expect(second.calls.map(({ callName }) => callName).toSorted()).toEqual([
      `${id}/1/1`,
      `${id}/1/3`,
    ]);
    expect(first.calls.map(({ callName }) => callName).toSorted()).toEqual(
      [1, 2, 3].map((call) => `${id}/1/${call}`),
    );
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]?.isRepeated).toBe(false);
    const outputs = itemsIn(model.bodies()[0]).slice(-3);
    expect(outputs.map(({ output }) => output)).toEqual([
      'did {"name":"look"}',
      expect.stringMatching(/^Error: .*outcome is unknown/),
      'did {"name":"shop_count"}',
    ]);
    expect(turn.faults).toEqual([]);
    const told = (turn.response["output"] as readonly JsonObject[]).filter(
      ({ type }) => type === "mcp_call",
    );
    expect(told).toMatchObject([
      { name: "buy", status: "failed", output: null, error: { type: "mcp_tool_execution_error" } },
      { name: "count", status: "completed" },
    ]);
    expect(model.bodies()[0]?.["tools"]).toEqual(asked.bodies()[0]?.["tools"]);
  });

  it("[agent.resumed] asks nothing again that was answered", async () => {
    const calls = [callOf("look", { at: 1 }, "call_1"), callOf("shop_buy", {}, "call_2")];
    const id = await ground.start({});
    const first = new ScriptedTools(tools, (call) =>
      call.tool.name === "look" ? textResult("seen") : hang(call),
    );
    const taken = await ground.take(saying(calls), { tools: first });
    await waitUntil(async () => JSON.stringify((await ground.ended(id)).events).includes("seen"));
    await taken.kill();
    const second = new ScriptedTools(tools);
    const model = saying([], [message("Done.")]);
    await (
      await ground.take(model, { tools: second })
    ).running;
    expect(second.calls).toEqual([]);
    expect(itemsIn(model.bodies()[0]).slice(-2)).toMatchObject([
      { output: "seen" },
      { output: expect.stringContaining("unknown") },
    ]);
    expect((await ground.ended(id)).faults).toEqual([]);
  });

  it("and that was cancelled meanwhile ends with what was said and used before", async () => {
    const id = await ground.start({});
    const first = new ScriptedTools(tools, hang);
    const taken = await ground.take(saying([message("So."), callOf("look", {})]), { tools: first });
    await waitUntil(() => first.calls.length === 1);
    await taken.kill();
    const cancelling = ground.turns.cancel("user_1", id, loadContext);
    await waitUntil(async () => (await ground.ended(id)).response["status"] === "cancelled");
    const model = saying();
    await (
      await ground.take(model, { tools: new ScriptedTools(tools) })
    ).running;
    await cancelling;
    const turn = await ground.ended(id);
    expect(model.calls).toEqual([]);
    expect(turn.response).toMatchObject({
      status: "cancelled",
      output: [message("So."), { type: "function_call" }],
      usage: { input_tokens: 10 },
    });
    expect(turn.items?.slice(1, 3)).toEqual([message("So."), callOf("look", {})]);
    expect(turn.faults).toEqual([]);
  });

  it("[agent.fenced] and that comes back writes nothing, though its tool answered", async () => {
    const id = await ground.start({});
    const late = Promise.withResolvers<AgentToolResult>();
    const first = new ScriptedTools(tools, () => late.promise);
    const taken = await ground.take(saying([callOf("shop_buy", {})]), { tools: first });
    await waitUntil(() => first.calls.length === 1);
    await taken.expire();
    const model = saying([], [message("Done.")]);
    await (
      await ground.take(model, { tools: new ScriptedTools(tools) })
    ).running;
    const before = await ground.ended(id);
    late.resolve(textResult("bought"));
    await taken.running;
    const turn = await ground.ended(id);
    expect(turn.events).toEqual(before.events);
    expect(JSON.stringify(turn)).not.toContain("bought");
  });

  it("[agent.tool-call-repeated] whenever that is, ends as it would have, with what must not be called twice called once at most", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom("look", "shop_buy", "shop_count"), { maxLength: 4 }), {
          maxLength: 3,
        }),
        fc.array(fc.nat(60), { maxLength: 4 }),
        async (script, kills) => {
          const outputs = script.map((names, step) =>
            names.map((name, at) => callOf(name, { step }, `call_${step}_${at}`)),
          );
          const model = new ScriptedModel(({ input }) => {
            const answered = (input as readonly JsonObject[]).filter(
              ({ type }) => type === "function_call_output",
            ).length;
            const counts = outputs.map((_, step) => outputs.slice(0, step).flat().length);
            const calls = outputs[counts.indexOf(answered)] ?? [];
            return { output: [message(`${answered}`, `msg_${model.calls.length}`), ...calls] };
          });
          const called = new ScriptedTools(tools, async ({ arguments: text, signal }) => {
            await delay(8, undefined, { signal });
            return textResult(text);
          });
          const id = await ground.start({});
          let told = 0;
          for (const ms of kills) {
            const taken = await ground.take(model, { tools: called });
            await Promise.race([delay(ms), taken.running]);
            await taken.kill();
            const { response, events } = await ground.ended(id);
            expect(events.length).toBeGreaterThanOrEqual(told);
            told = events.length;
            if (response["status"] === "completed") break;
          }
          const seen = await ground.ended(id);
          if (seen.items === undefined) {
            await (
              await ground.take(model, { tools: called })
            ).running;
          }
          const turn = await ground.ended(id);
          expect(turn.events.slice(0, told)).toEqual(seen.events.slice(0, told));
          expect([turn.faults, turn.response["status"]]).toEqual([[], "completed"]);
          const unsafe = called.calls.filter(({ tool }) => tool.name === "shop_buy");
          const names = unsafe.map(({ callName }) => callName);
          expect(new Set(names).size).toBe(names.length);
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);
});
