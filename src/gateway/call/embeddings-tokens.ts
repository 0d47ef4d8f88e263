import { jsonByteCodes } from "../../platform/json-splice/byte.ts";
import type { JsonSpan } from "../../platform/json-splice/scan-object.ts";
import { estimateTextTokens } from "./text-length.ts";

/**
 * Tokens of the `input` of an embeddings call, without parsing it: of one text or several
 * by the length, while tokens, and lists of them, are counted.
 */
export function estimateEmbeddingsTokens(bytes: Buffer, { start, end }: JsonSpan): number {
  const input = bytes.subarray(start, end);
  return input.includes(jsonByteCodes.quote)
    ? estimateTextTokens(input.length)
    : countOfNumbers(input);
}

/** By place: an iterator takes several times as long. */
function countOfNumbers(input: Buffer): number {
  let count = 0;
  let wasDigit = false;
  for (let at = 0; at < input.length; at++) {
    const code = input[at] ?? 0;
    const isDigit = code >= jsonByteCodes.zero && code <= jsonByteCodes.nine;
    if (isDigit && !wasDigit) count += 1;
    wasDigit = isDigit;
  }
  return count;
}
