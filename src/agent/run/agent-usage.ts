import { asNumber, asObject, type JsonObject } from "../../dialect/json.ts";
import { encodeResponsesUsage } from "../../dialect/responses/usage.ts";
import type { TurnModelCallUsage } from "../../domain/durable-turn.ts";
import type { AgentTurnUsage } from "./agent-progress.ts";

export const zeroAgentTurnUsage: AgentTurnUsage = { outputTokens: 0, costUsd: 0, usage: undefined };

/** What one call used; `told`: the usage that its answer told, where it told one. */
export function modelCallToAgentTurnUsage(
  used: TurnModelCallUsage | undefined,
  told: unknown,
): AgentTurnUsage {
  const usage = asObject(told) ?? (used && usageOf(used));
  const outputTokens = used?.outputTokens ?? asNumber(usage?.["output_tokens"]) ?? 0;
  return { outputTokens, costUsd: used?.costUsd ?? 0, usage };
}

export function addAgentTurnUsage(one: AgentTurnUsage, other: AgentTurnUsage): AgentTurnUsage {
  return {
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
    usage:
      one.usage === undefined || other.usage === undefined
        ? (one.usage ?? other.usage)
        : sumOf(one.usage, other.usage),
  };
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens }: TurnModelCallUsage): JsonObject {
  return encodeResponsesUsage({
    input: inputTokens - cachedInputTokens,
    cacheRead: cachedInputTokens,
    cacheWrite: 0,
    output: outputTokens,
    reasoning: 0,
    raw: undefined,
  });
}

/** Counts are added, wherever they stand; of what is no count the later word holds. */
function sumOf(one: JsonObject, other: JsonObject): JsonObject {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, sumOfValues(one[name], other[name])]));
}

function sumOfValues(one: unknown, other: unknown): unknown {
  const [left, right] = [asNumber(one), asNumber(other)];
  if (left !== undefined || right !== undefined) return (left ?? 0) + (right ?? 0);
  const [before, after] = [asObject(one), asObject(other)];
  if (before === undefined || after === undefined) return other ?? one;
  return sumOf(before, after);
}
