import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../../../src/platform/errors.ts";
import { waitUntil } from "../../support/wait-until.ts";
import {
  mcpTool,
  openAgentEnvironment,
  ScriptedTools,
  type AgentEnvironment,
} from "./agent-environment.ts";
import { callOf, message, ScriptedModel, type ScriptedAnswer } from "./scripted-model.ts";

let ground: AgentEnvironment;

beforeAll(async () => {
  ground = await openAgentEnvironment();
});

afterAll(() => ground.close());

const hello = { type: "message", role: "user", content: "Hello?" };
const busy = { error: { code: "server_error", message: "On fire.", isPassing: true } };
const calling: ScriptedAnswer = { output: [message("So."), callOf("shop_buy", {})] };

function answering(...answers: readonly ScriptedAnswer[]): ScriptedModel {
  return new ScriptedModel((_body, number) => answers[number - 1] ?? {});
}

describe("an agent's turn that is cancelled", () => {
  it("[agent.cancelled] closes the connections of its tools at once, and tells and keeps what was said", async () => {
    const closed: number[] = [];
    const tools = new ScriptedTools([mcpTool("buy")], async ({ signal }) => {
      await once(signal, "abort");
      closed.push(performance.now());
      throw new Error("aborted");
    });
    const id = await ground.start({});
    const model = answering(calling);
    const { run, running } = await ground.take(model, { tools });
    await waitUntil(() => tools.calls.length === 1);
    const askedAt = performance.now();
    run.cancel();
    await running;
    expect((closed[0] ?? Number.NaN) - askedAt).toBeLessThan(1000);
    const turn = await ground.ended(id);
    expect(turn.response).toMatchObject({
      status: "cancelled",
      incomplete_details: { reason: "cancelled" },
      output: [message("So."), { type: "mcp_call", status: "incomplete" }],
      usage: { input_tokens: 10, output_tokens: 4 },
    });
    expect(turn.faults).toEqual([]);
    expect(turn.items).toEqual([
      hello,
      message("So."),
      callOf("shop_buy", {}),
      {
        type: "function_call_output",
        call_id: "call_shop_buy",
        output: expect.stringMatching(/^Error: .*outcome is unknown/),
      },
    ]);
  });

  it("[agent.cancelled] in a model call says what was used of it too", async () => {
    const pause: ScriptedAnswer["pause"] = async ({ signal }) => {
      if (!signal.aborted) await once(signal, "abort");
    };
    const model = answering(calling, { output: [message("Half.")], pause });
    const id = await ground.start({});
    const { run, running } = await ground.take(model, {
      tools: new ScriptedTools([mcpTool("buy")]),
    });
    await waitUntil(() => model.calls.length === 2);
    run.cancel();
    await running;
    const turn = await ground.ended(id);
    expect(turn.response).toMatchObject({
      status: "cancelled",
      usage: { input_tokens: 20, output_tokens: 8, total_tokens: 28 },
    });
    expect(turn.items?.slice(-2)).toEqual([
      { type: "function_call_output", call_id: "call_shop_buy", output: "did {}" },
      message("Half."),
    ]);
    expect(turn.faults).toEqual([]);
  });

  it("before anything was asked ends with what was to be said", async () => {
    const model = answering();
    model.mayGo = false;
    const turn = await ground.run(model);
    expect(model.calls).toEqual([]);
    expect(turn.response).toMatchObject({ status: "cancelled", output: [], usage: null });
    expect(turn.items).toEqual([hello]);
  });
});

describe("an upstream that fails inside an agent's turn", () => {
  it("[agent.upstream-fails] is asked three times for a step, with the same words, and each step anew", async () => {
    const model = answering(busy, busy, calling, busy, busy, { output: [message("Done.")] });
    const tools = new ScriptedTools([mcpTool("buy")]);
    const turn = await ground.run(model, { tools });
    expect(turn.response).toMatchObject({
      status: "completed",
      output: [message("So."), { type: "mcp_call" }, message("Done.")],
    });
    expect(turn.faults).toEqual([]);
    expect(tools.calls).toHaveLength(1);
    const inputs = model.bodies().map(({ input }) => input);
    expect(inputs[1]).toEqual(inputs[0]);
    expect(inputs[5]).toEqual(inputs[3]);
    expect(model.calls.map(({ isRepeated }) => isRepeated)).toEqual(Array(6).fill(false));
    expect(model.calls[0]?.callId).toBe("call_first");
    expect(new Set(model.calls.map(({ callId }) => callId)).size).toBe(6);
    // What it used is counted, whether or not it answered.
    expect(turn.response["usage"]).toMatchObject({ input_tokens: 60, output_tokens: 24 });
  });

  it("[agent.upstream-fails] ends the turn with its error when it has failed three times, and at once where that is no passing one", async () => {
    const tools = (): ScriptedTools => new ScriptedTools([mcpTool("buy")]);
    const often = answering(calling, busy, busy, busy, calling);
    const turn = await ground.run(often, { tools: tools() });
    expect(often.calls).toHaveLength(4);
    expect(turn.response).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "On fire." },
      usage: { input_tokens: 40 },
    });
    expect(turn.faults).toEqual([]);
    expect(turn.items?.map(({ type }) => type)).toEqual([
      "message",
      "message",
      "function_call",
      "function_call_output",
    ]);
    const refused = { error: { code: "invalid", message: "No.", isPassing: false } };
    const once = answering(refused);
    const ended = await ground.run(once, { tools: tools() });
    expect(once.calls).toHaveLength(1);
    expect(ended.response).toMatchObject({ status: "failed", error: { message: "No." } });
  });
});

it("[agent.metrics] counts turns of agents by engine and status, and their steps by kind", async () => {
  const count = async (line: string): Promise<number> => {
    const found = (await ground.metrics()).split("\n").find((one) => one.startsWith(line));
    return Number(found?.slice(line.length) ?? 0);
  };
  const names = [
    'causeway_agent_turns_total{engine="fast",status="completed"}',
    'causeway_agent_steps_total{kind="model_call"}',
    'causeway_agent_steps_total{kind="tool_call"}',
  ];
  const before = await Promise.all(names.map(count));
  const tools = new ScriptedTools([mcpTool("buy")]);
  await ground.run(answering(calling, { output: [message("Done.")] }), {
    tools,
    agent: { engine: "fast" },
  });
  const after = await Promise.all(names.map(count));
  expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([1, 2, 1]);
});

describe("an agent's turn whose items its account cannot hold", () => {
  it("ends as failed before its first model call, and says what to do", async () => {
    const tools = new ScriptedTools([]);
    tools.buildToolset = () => Promise.reject(new ApiError("rate_limited", "No room is left."));
    const model = answering({ output: [message("So.")] });
    const { response } = await ground.run(model, { tools });
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "rate_limited", message: expect.stringContaining("make fewer calls at once") },
    });
    expect(model.calls).toEqual([]);
  });
});
