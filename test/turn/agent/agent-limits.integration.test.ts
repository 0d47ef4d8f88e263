import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxAccumulatedTurnBytes } from "../../../src/domain/durable-turn.ts";
import {
  limits,
  mcpTool,
  openAgentEnvironment,
  ScriptedTools,
  textResult,
  type AgentEnvironment,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel, thought } from "./scripted-model.ts";

const mebibyte = 1024 * 1024;

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

/** A model that never has enough: a word, and a call, each time. */
function greedy(): ScriptedModel {
  return new ScriptedModel((_body, number) => ({
    output: [message(`${number}`), callOf("shop_buy", { number }, `call_${number}`)],
  }));
}

const tools = (): ScriptedTools => new ScriptedTools([mcpTool("buy")]);

describe("a limit of an agent's turn", () => {
  it.each([
    ["max_steps", { steps: 2 }, 2, 2],
    ["max_tool_calls", { toolCalls: 2 }, 3, 2],
    ["max_cost_usd", { costUsd: 0.5 }, 2, 2],
    ["max_output_tokens", { outputTokens: 24 }, 3, 3],
  ])(
    "[agent.limits] ends it truthfully with what was said so far: %s",
    async (reason, less, modelCalls, toolCalls) => {
      const [model, called] = [greedy(), tools()];
      const agent = { limits: { ...limits, ...less } };
      const turn = await ground.run(model, { agent, tools: called });
      expect([model.calls.length, called.calls.length]).toEqual([modelCalls, toolCalls]);
      expect(turn.response).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason },
        completed_at: null,
        usage: { input_tokens: 10 * modelCalls, output_tokens: 4 * modelCalls },
      });
      expect(turn.response["output"]).toHaveLength(2 * modelCalls);
      expect(turn.faults).toEqual([]);
      // Every call has an output, so that the thread can go on.
      const ids = (type: string) =>
        (turn.items ?? []).flatMap((item) => (item["type"] === type ? [item["call_id"]] : []));
      expect(ids("function_call_output")).toEqual(ids("function_call"));
    },
  );

  it("tells the model of calls that are over it that they were not made", async () => {
    const agent = { limits: { ...limits, toolCalls: 1 } };
    const turn = await ground.run(greedy(), { agent, tools: tools() });
    expect(turn.items?.at(-1)).toEqual({
      type: "function_call_output",
      call_id: "call_2",
      output: "Error: The call was not made: the turn has reached its limit `max_tool_calls`.",
    });
  });

  it("[agent.limits] leaves each model call what the turn has not gathered of 64 MiB", async () => {
    const large = "x".repeat(mebibyte);
    const model = new ScriptedModel((_body, number) => ({
      // Encrypted reasoning, which callers do not get.
      output: [thought(large), callOf("shop_buy", { number }, `call_${number}`)],
    }));
    const results = new ScriptedTools([mcpTool("buy")], () => textResult(large));
    await ground.run(model, { tools: results, agent: { limits: { ...limits, steps: 2 } } });
    const gathered = model.calls.map(({ room }) => (maxAccumulatedTurnBytes - room) / mebibyte);
    expect(gathered[0]).toBe(0);
    // The id of the thought has as much.
    expect(gathered[1]).toBeCloseTo(3, 1);
  });

  it("[agent.output-limit] holds for each model call by what is left of it, and of what the caller allows", async () => {
    const model = greedy();
    const agent = { limits: { ...limits, outputTokens: 100, steps: 3 } };
    await ground.run(model, { agent, tools: tools() });
    const asked = greedy();
    const body = { max_output_tokens: 60 };
    const turn = await ground.run(asked, { agent, tools: tools(), body });
    const left = ({ max_output_tokens }: { readonly [name: string]: unknown }) => max_output_tokens;
    expect(model.bodies().map(left)).toEqual([100, 96, 92]);
    expect(asked.bodies().map(left)).toEqual([60, 56, 52]);
    expect(turn.response).toMatchObject({ incomplete_details: { reason: "max_steps" } });
  });

  it("of an answer is the turn's end where the model stops for it", async () => {
    const half = { ...message("Ha"), status: "incomplete" };
    const cut = { ...callOf("shop_buy", '{"a'), status: "incomplete" };
    const model = new ScriptedModel(() => ({
      output: [half, cut],
      incomplete: "max_output_tokens",
    }));
    const called = tools();
    const turn = await ground.run(model, { tools: called });
    expect(called.calls).toEqual([]);
    expect(turn.response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [half],
    });
    expect(turn.items?.slice(1)).toEqual([half]);
    expect(turn.faults).toEqual([]);
  });

  it("[agent.limits] of time ends what is under way: a model call", async () => {
    const model = new ScriptedModel(() => ({
      output: [message("So far.")],
      pause: async ({ signal }) => void (await once(signal, "abort")),
    }));
    const agent = { limits: { ...limits, seconds: 0.3 } };
    const turn = await ground.run(model, { agent });
    expect(turn.response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_seconds" },
      output: [message("So far.")],
      usage: { input_tokens: 10 },
    });
    expect(turn.items?.slice(1)).toEqual([message("So far.")]);
    expect(turn.faults).toEqual([]);
  });

  it("[agent.limits] of time ends what is under way: a call of a tool, whose outcome is unknown then", async () => {
    const called = new ScriptedTools([mcpTool("buy")], async ({ signal }) => {
      await once(signal, "abort");
      throw new Error("aborted");
    });
    const agent = { limits: { ...limits, seconds: 0.3 } };
    const turn = await ground.run(greedy(), { agent, tools: called });
    expect(turn.response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_seconds" },
      output: [message("1"), { type: "mcp_call", status: "failed" }],
    });
    expect(turn.items?.at(-1)?.["output"]).toMatch(/limit `max_seconds`. Its outcome is unknown/);
    expect(turn.faults).toEqual([]);
  });
});
