import type { NeutralResponsePart, NeutralResponse } from "./neutral-response.ts";
import type { TokenUsage } from "./usage.ts";

/** UTF-16 units of a token, roughly. */
const unitsPerToken = 4;

/**
 * Usage with an estimate in the place of what no upstream told, because clients
 * count on it. `written`: UTF-16 units of everything that was said.
 */
export function fillMissingTokenUsage(
  told: TokenUsage | undefined,
  estimatedInput: number,
  written: number,
): TokenUsage {
  return {
    ...told,
    input: told?.input ?? estimatedInput,
    output: told?.output ?? Math.ceil(written / unitsPerToken),
  };
}

/** The same for a whole answer. */
export function getTokenUsageOrEstimate(
  { usage, parts }: NeutralResponse,
  estimatedInput: number,
): TokenUsage {
  const written = parts.reduce((sum, part) => sum + writtenUnits(part), 0);
  return fillMissingTokenUsage(usage, estimatedInput, written);
}

function writtenUnits(part: NeutralResponsePart): number {
  if (part.type === "reasoning") return part.texts.reduce((sum, text) => sum + text.length, 0);
  return part.type === "tool-call" ? part.arguments.length : part.text.length;
}
