import type { JsonObject } from "./json.ts";

/**
 * Tokens of one answer. Input is a partition, as messages counts it: `input` is
 * what was neither read from nor written to a cache. Undefined is "not told",
 * which is not the same as 0. All are whole and at least 0.
 */
export interface TokenUsage {
  readonly input?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  /** Reasoning included. */
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
  /** The upstream's own object, for the ledger. Left out if its JSON is longer than 16 KiB. */
  readonly raw?: unknown;
}

/** Several times the length of the longest usage object of a vendor. */
const maxRawUsageCharacters = 16 * 1024;

/** Returns an upstream's own usage object. Undefined if it is longer, or nested deeper, than usage is. */
export function omitOversizedRawUsage(raw: JsonObject): JsonObject | undefined {
  try {
    return JSON.stringify(raw).length <= maxRawUsageCharacters ? raw : undefined;
  } catch (error) {
    // V8 reads JSON of any depth, and writes it only as deep as its stack is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** `later` over `earlier`, field by field. */
export function mergeTokenUsage(earlier: TokenUsage | undefined, later: TokenUsage): TokenUsage {
  if (earlier === undefined) return later;
  return {
    input: later.input ?? earlier.input,
    cacheRead: later.cacheRead ?? earlier.cacheRead,
    cacheWrite: later.cacheWrite ?? earlier.cacheWrite,
    output: later.output ?? earlier.output,
    reasoning: later.reasoning ?? earlier.reasoning,
    raw: later.raw ?? earlier.raw,
  };
}

/** All input, caches included, as chat and responses count it. */
export function totalInputTokens(usage: TokenUsage): number {
  return (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** The partition of an inclusive count. */
export function splitInputTokensByCache(
  inclusive: number | undefined,
  cacheRead: number | undefined,
  cacheWrite: number | undefined,
): Pick<TokenUsage, "input" | "cacheRead" | "cacheWrite"> {
  const input =
    inclusive === undefined
      ? undefined
      : Math.max(0, inclusive - (cacheRead ?? 0) - (cacheWrite ?? 0));
  return { input, cacheRead, cacheWrite };
}

/** No answer has so many tokens: who tells more tells nothing. */
const maxTokens = 1e12;

/** A count as vendors send it: whole and at least 0; anything else is not told. */
export function readTokenCount(value: unknown): number | undefined {
  return typeof value === "number" && value <= maxTokens && Number.isFinite(value)
    ? Math.max(0, Math.trunc(value))
    : undefined;
}

/** Both together: two dials that made one answer. The raw objects stand side by side. */
export function sumTokenUsage(first: TokenUsage, second: TokenUsage): TokenUsage {
  return {
    input: sum(first.input, second.input),
    cacheRead: sum(first.cacheRead, second.cacheRead),
    cacheWrite: sum(first.cacheWrite, second.cacheWrite),
    output: sum(first.output, second.output),
    reasoning: sum(first.reasoning, second.reasoning),
    raw: [first.raw, second.raw].flat(),
  };
}

function sum(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined && second === undefined ? undefined : (first ?? 0) + (second ?? 0);
}
