import { MalformedResponseError } from "./codec.ts";
import { countUpstreamJsonValues } from "./count-answer-values.ts";
import { exceedsMaxJsonDepth } from "./nesting-limit.ts";
import { maxJsonDepth } from "../platform/json-splice/end-of-value.ts";

/**
 * Most JSON values of one body, event or answer that is parsed. A conversation of two thousand
 * messages has some fifty thousand. Of an upstream's texts `countUpstreamJsonValues` counts them.
 */
export const maxJsonValues = 400_000;

/** Whether a JSON text of an upstream has more values than are parsed. */
export function hasTooManyUpstreamJsonValues(text: string): boolean {
  // A member that counts five times takes four characters or more.
  return text.length > maxJsonValues / 2 && exceedsMaxUpstreamJsonValues(Buffer.from(text));
}

/** Whether the bytes of a JSON text of an upstream have more values than are parsed. */
export function exceedsMaxUpstreamJsonValues(bytes: Buffer): boolean {
  return countUpstreamJsonValues(bytes, maxJsonValues) > maxJsonValues;
}

/** Throws a `MalformedResponseError` for an upstream's event that nests deeper, or has more JSON values, than is parsed. */
export function assertEventWithinJsonLimits(event: string): void {
  if (exceedsMaxJsonDepth(event)) throw nestingTooDeepError("an event");
  if (hasTooManyUpstreamJsonValues(event)) throw tooManyValuesError("an event");
}

/** The error for what an upstream sent, if it nests deeper than is parsed. */
export function nestingTooDeepError(what: string): MalformedResponseError {
  return new MalformedResponseError(`sent ${what} nested deeper than ${maxJsonDepth} levels`);
}

function tooManyValuesError(what: string): MalformedResponseError {
  return new MalformedResponseError(`sent ${what} of more values than can be read`);
}

/** Counts the values of all JSON texts of one answer that are parsed. */
export class JsonValueBudget {
  #left = maxJsonValues;

  /** Throws a `MalformedResponseError` when the text nests deeper, or the texts have more values, than is parsed. */
  take(text: string): void {
    if (exceedsMaxJsonDepth(text)) throw nestingTooDeepError("arguments");
    this.#left -= countUpstreamJsonValues(Buffer.from(text), this.#left);
    if (this.#left < 0) throw tooManyValuesError("arguments");
  }
}
