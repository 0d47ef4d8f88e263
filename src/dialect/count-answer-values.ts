import { jsonByteCodes } from "../platform/json-splice/byte.ts";
import { findJsonStringEnd } from "../platform/json-splice/count-values.ts";

/**
 * Values that a member of an object counts as. Objects of many different members take several
 * times as long to parse and write as lists and objects that are alike.
 */
const memberValues = 5;

/** Members of log probabilities, which are many and alike. They count once. */
const logprobNames: ReadonlySet<string> = new Set(["token", "logprob", "bytes", "top_logprobs"]);

const maxNameBytes = 12;

/**
 * Counts the values of a JSON text that an upstream sent, by the time that they take: see
 * `memberValues`. The text need not be valid. Stops beyond `max`. Takes a few milliseconds a megabyte.
 */
export function countUpstreamJsonValues(bytes: Buffer, max: number): number {
  let values = 0;
  let nameStart = 0;
  let nameEnd = 0;
  for (let at = 0; at < bytes.length && values <= max; at++) {
    switch (bytes[at]) {
      case jsonByteCodes.quote:
        nameStart = at + 1;
        nameEnd = findJsonStringEnd(bytes, at);
        at = nameEnd;
        break;
      case jsonByteCodes.openBrace:
      case jsonByteCodes.openBracket:
      case jsonByteCodes.comma:
        values += 1;
        break;
      case jsonByteCodes.colon:
        // The brace or comma before the name has counted once.
        if (!isLogprobName(bytes, nameStart, nameEnd)) values += memberValues - 1;
        break;
      default:
    }
  }
  return values;
}

function isLogprobName(bytes: Buffer, start: number, end: number): boolean {
  return end - start <= maxNameBytes && logprobNames.has(bytes.toString("latin1", start, end));
}
