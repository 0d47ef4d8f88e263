import { describe, expect, it } from "vitest";
import type { AgentTurnProgress, AgentStep } from "../../../src/agent/run/agent-progress.ts";
import { zeroAgentTurnUsage } from "../../../src/agent/run/agent-usage.ts";
import { decideNextAgentStep } from "../../../src/agent/run/next-step.ts";
import { extractRequestedToolCalls } from "../../../src/agent/run/requested-tool-call.ts";

const mebibyte = 1024 * 1024;
const thought = { type: "reasoning", encrypted_content: "x".repeat(mebibyte) };
const outfit = {
  instructions: [],
  tools: [
    {
      name: "look",
      description: undefined,
      parameters: {},
      source: { kind: "own", tool: "look" } as const,
    },
  ],
};
const limits = { steps: 24, toolCalls: 64, seconds: 900, outputTokens: 32_000, costUsd: 5 };
const call = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
const place = { turnId: "turn_1", step: 1, toolset: outfit, canApprove: false };

/** A turn whose model thought so many bytes and called a tool, which answered or not. */
function progressOf(bytes: number, resultBytes?: number): AgentTurnProgress {
  const thoughts = Array.from({ length: bytes / mebibyte }, () => thought);
  const output = [...thoughts, call];
  const requests = extractRequestedToolCalls([call], place);
  const result = {
    output: [{ type: "input_text", text: "x".repeat(resultBytes ?? 0) }],
    isError: false,
  };
  const name = requests[0]?.callName ?? "";
  const results = new Map(resultBytes === undefined ? [] : [[name, result]]);
  const step: AgentStep = {
    output,
    incompleteReason: undefined,
    completedAt: undefined,
    number: 1,
    requests,
    results,
  };
  return { startedAt: 0, toolset: outfit, history: [], steps: [step], usage: zeroAgentTurnUsage };
}

const terms = { limits, maxOutputTokens: undefined };

describe("decideNextAgentStep", () => {
  it("[agent.limits] makes no further model call when the items of the turn and the results of its tools have 64 MiB", () => {
    expect(decideNextAgentStep(progressOf(63 * mebibyte, mebibyte), terms, 1)).toEqual({
      kind: "end",
      reason: "max_turn_bytes",
    });
    const less = decideNextAgentStep(progressOf(62 * mebibyte, mebibyte), terms, 1);
    expect(less).toMatchObject({ kind: "model_call", number: 2 });
  });

  it("[agent.limits] calls no tool when the items of the turn have 64 MiB", () => {
    expect(decideNextAgentStep(progressOf(64 * mebibyte), terms, 1)).toMatchObject({
      kind: "tool_calls",
      limit: "max_turn_bytes",
    });
    const less = decideNextAgentStep(progressOf(63 * mebibyte), terms, 1);
    expect(less).toMatchObject({ kind: "tool_calls", limit: undefined });
  });
});
