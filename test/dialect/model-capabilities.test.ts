import { describe, expect, it } from "vitest";
import type { ModelCapabilities } from "../../src/dialect/capabilities.ts";
import { unknownModelCapabilities } from "../../src/dialect/capabilities.ts";
import {
  inferModelCapabilities,
  type ModelCapabilityInferenceInput,
} from "../../src/dialect/model-capabilities.ts";
import {
  clampReasoningBudget,
  effortToBudget,
  clampEffort,
  budgetToEffort,
} from "../../src/dialect/reasoning-effort.ts";

function capabilities(
  model: string,
  more: Partial<ModelCapabilityInferenceInput> = {},
): ModelCapabilities {
  const known = {
    dialect: "dialect_messages",
    firstParty: false,
    maxOutputTokens: undefined,
  } as const;
  return inferModelCapabilities({ ...known, ...more, model });
}

describe("modelCapabilities()", () => {
  it.each<[string, Partial<ModelCapabilities>]>([
    [
      "claude-3-haiku-20240307",
      { thinking: "none", maxOutputTokens: 4096, structuredOutput: "tool" },
    ],
    ["claude-3-5-sonnet-20241022", { thinking: "none", maxOutputTokens: 8192 }],
    ["claude-3-7-sonnet-latest", { thinking: "budget", maxOutputTokens: 64_000 }],
    [
      "claude-opus-4-20250514",
      { thinking: "budget", maxOutputTokens: 32_000, structuredOutput: "tool" },
    ],
    ["claude-opus-4-1", { maxOutputTokens: 32_000, structuredOutput: "native", strictTools: true }],
    ["claude-sonnet-4-20250514", { maxOutputTokens: 64_000, structuredOutput: "tool" }],
    [
      "claude-sonnet-4-5-20250929",
      { thinking: "budget", structuredOutput: "native", sampling: true },
    ],
    ["anthropic/claude-opus-4.6", { thinking: "adaptive", lacksXhigh: true, sampling: true }],
    [
      "us.anthropic.claude-opus-4-7-v1:0",
      { sampling: false, lacksXhigh: false, midConversationSystem: "demote" },
    ],
    ["claude-opus-4-8", { midConversationSystem: "native", maxOutputTokens: 128_000 }],
    ["claude-sonnet-5", { thinking: "adaptive", midConversationSystem: "native", sampling: false }],
    ["qwen3-coder", { thinking: "budget", sampling: true, maxOutputTokens: undefined }],
  ])("knows of %s that it has %j", (model, expected) => {
    expect(capabilities(model)).toMatchObject(expected);
  });

  it("what the upstream tells of a model wins", () => {
    expect(capabilities("claude-opus-4-8", { maxOutputTokens: 99 }).maxOutputTokens).toBe(99);
  });

  it("a chat model of the vendor itself", () => {
    const chat = { dialect: "dialect_chat", firstParty: true } as const;
    expect(capabilities("gpt-5.2", chat)).toMatchObject({
      firstParty: true,
      maxTokensField: "max_completion_tokens",
      sampling: false,
      highestEffort: "xhigh",
      midConversationSystem: "native",
    });
    expect(capabilities("gpt-5.2", { ...chat, firstParty: false }).midConversationSystem).toBe(
      "demote",
    );
    expect(capabilities("gpt-4.1", chat)).toMatchObject({
      sampling: true,
      midConversationSystem: "native",
    });
    expect(capabilities("gpt-5-chat-latest", chat).sampling).toBe(true);
    expect(capabilities("gpt-5-mini", chat).highestEffort).toBe("high");
    expect(capabilities("o3-mini", chat)).toMatchObject({
      hasLowEfforts: false,
      highestEffort: "high",
    });
  });

  it("the same name at a compatible server says little", () => {
    expect(capabilities("gpt-5", { dialect: "dialect_chat" })).toEqual(unknownModelCapabilities);
  });

  it("some models want their reasoning back", () => {
    const chat = { dialect: "dialect_chat" } as const;
    expect(capabilities("moonshotai/Kimi-K2-Thinking", chat).reasoningEcho).toBe(true);
  });
});

describe("levels", () => {
  it.each([
    [0, "minimal"],
    [2047, "minimal"],
    [2048, "low"],
    [8191, "low"],
    [8192, "medium"],
    [16_383, "medium"],
    [16_384, "high"],
    [24_575, "high"],
    [24_576, "xhigh"],
    [99_999, "xhigh"],
  ])("a budget of %i is %s", (budget, effort) => {
    expect(budgetToEffort(budget)).toBe(effort);
  });

  it("an effort's budget reads as the effort again", () => {
    for (const effort of ["minimal", "low", "medium", "high", "xhigh"] as const) {
      expect(budgetToEffort(effortToBudget(effort) ?? -1)).toBe(effort);
    }
    expect(effortToBudget("none")).toBeUndefined();
  });

  it.each([
    [1024, 2048, undefined],
    [1025, 2048, 1024],
    [8192, 16_384, 7168],
    [8192, 2048, 2048],
    [8192, 8191, 8191],
    [8192, 5, 1024],
  ])("under a cap of %i, %i becomes %s", (cap, budget, below) => {
    expect(clampReasoningBudget(cap, budget)).toBe(below);
  });

  it.each([
    ["none", "none", {}],
    ["minimal", "low", { hasLowEfforts: false }],
    ["minimal", "minimal", {}],
    ["xhigh", "high", {}],
    ["max", "xhigh", { highestEffort: "xhigh" }],
    ["max", "max", { highestEffort: "max" }],
  ] as const)("sends the effort %s as %s to a model with %j", (effort, sent, known) => {
    expect(clampEffort(effort, { ...unknownModelCapabilities, ...known })).toBe(sent);
  });
});
