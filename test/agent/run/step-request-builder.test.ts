import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentTurnProgress, AgentStep } from "../../../src/agent/run/agent-progress.ts";
import { zeroAgentTurnUsage } from "../../../src/agent/run/agent-usage.ts";
import { AgentStepRequestBuilder } from "../../../src/agent/run/step-request-builder.ts";
import { extractRequestedToolCalls } from "../../../src/agent/run/requested-tool-call.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { AgentToolsetSnapshot, AgentTurnSettings } from "../../../src/domain/agent-turn.ts";

const agent: AgentTurnSettings = {
  threadId: "thread_1",
  session: "s",
  engine: "omni",
  model: "custom/box/m",
  instructions: "You are omni.",
  limits: { steps: 24, toolCalls: 64, seconds: 900, outputTokens: 32_000, costUsd: 5 },
  receiver: { accountId: "user_1", userId: "user_1" },
  canApprove: true,
};

const outfit: AgentToolsetSnapshot = {
  instructions: ["Rules."],
  tools: ["look", "find"].map((name) => ({
    name,
    description: `It can ${name}.`,
    parameters: { type: "object", properties: { q: { type: "string" } } },
    source: { kind: "own", tool: name },
  })),
};

const someText = fc.string({ unit: "grapheme", maxLength: 30 });

const someMessage = someText.map((text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
}));

/** A step: words, thoughts, and calls with the outputs that they got. */
const someStep = fc.record({
  words: fc.array(someMessage, { maxLength: 2 }),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("look", "find", "gone"),
      argument: fc.jsonValue({ maxDepth: 1 }),
      output: someText,
      isError: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

type SomeStep = typeof someStep extends fc.Arbitrary<infer Step> ? Step : never;

function stepOf({ words, calls }: SomeStep, number: number): AgentStep {
  const output: JsonObject[] = [
    ...words,
    ...calls.map(({ name, argument }, at) => ({
      type: "function_call",
      call_id: `call_${number}_${at}`,
      name,
      arguments: JSON.stringify({ q: argument }),
    })),
  ];
  const place = { turnId: "turn_1", step: number, toolset: outfit, canApprove: true };
  const requests = extractRequestedToolCalls(output, place);
  const results = new Map(
    requests.map(({ callName }, at) => {
      const { output: text = "", isError = false } = calls[at] ?? {};
      return [callName, { output: [{ type: "input_text", text }], isError }];
    }),
  );
  return { number, output, incompleteReason: undefined, completedAt: 1, requests, results };
}

const opening: AgentStep = {
  number: 0,
  output: [],
  incompleteReason: undefined,
  completedAt: undefined,
  requests: [],
  results: new Map(),
};

function progressOf(
  history: readonly JsonObject[],
  steps: readonly AgentStep[],
): AgentTurnProgress {
  return {
    startedAt: 1,
    toolset: outfit,
    history,
    steps: [opening, ...steps],
    usage: zeroAgentTurnUsage,
  };
}

const request = { model: "agent-omni", temperature: 0.1, instructions: "Mine.", user: "u" };
const input = [{ type: "message", role: "user", content: "Hello?" }];

/** The text up to where the items of the prompt end. */
function upToItems(body: string): string {
  return body.slice(0, body.lastIndexOf('],"'));
}

describe("the prompt of a step", () => {
  it("[agent.prompt] is that of the step before and more, byte for byte, over a thousand steps", () => {
    let steps = 0;
    const property = fc.property(
      fc.array(someMessage, { maxLength: 3 }),
      fc.array(someStep, { minLength: 20, maxLength: 20 }),
      (history, some) => {
        const prompt = new AgentStepRequestBuilder(agent, request, outfit, input);
        let before = "";
        for (let made = 0; made <= some.length; made += 1) {
          const progress = progressOf(
            history,
            some.slice(0, made).map((step, at) => stepOf(step, at + 1)),
          );
          const limit = { number: made + 1, maxOutputTokens: 32_000 - made };
          // As another process would write it, from what was noted.
          const again = new AgentStepRequestBuilder(
            agent,
            structuredClone(request),
            structuredClone(outfit),
            input,
          );
          const body = prompt.body(progress, limit);
          expect(again.body(structuredClone(progress), limit)).toBe(body);
          const text = upToItems(body);
          expect(text.startsWith(before)).toBe(true);
          expect(text.length).toBeGreaterThan(before.length);
          expect(JSON.parse(body)).toMatchObject({ max_output_tokens: 32_000 - made });
          before = text;
          steps += 1;
        }
      },
    );
    fc.assert(property, { numRuns: 50 });
    expect(steps).toBeGreaterThanOrEqual(1000);
  });

  it("has each call right before its output, and nothing that only callers read", () => {
    const prompt = new AgentStepRequestBuilder(agent, request, outfit, [
      { type: "mcp_approval_response", approval_request_id: "a", approve: true },
      {
        type: "mcp_call",
        id: "mcp_1",
        name: "buy",
        server_label: "shop",
        arguments: "{}",
        output: "bought",
        error: null,
      },
      { type: "mcp_list_tools", id: "l", server_label: "shop", tools: [] },
    ]);
    const body = JSON.parse(prompt.body(progressOf([], []), { number: 1, maxOutputTokens: 1 })) as {
      readonly input: readonly JsonObject[];
    };
    expect(body.input).toEqual([
      { type: "function_call", call_id: "mcp_1", name: "buy", arguments: "{}" },
      { type: "function_call_output", call_id: "mcp_1", output: "bought" },
    ]);
  });
});
