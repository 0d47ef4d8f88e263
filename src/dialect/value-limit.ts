import { countJsonValues } from "../platform/json-splice/count-values.ts";
import { MalformedResponseError } from "./codec.ts";
import { exceedsMaxJsonDepth } from "./nesting-limit.ts";
import { maxJsonDepth } from "../platform/json-splice/end-of-value.ts";

/** Most JSON values of one body, event or answer that is parsed. A conversation of two thousand messages has some fifty thousand. */
export const maxJsonValues = 400_000;

/** Whether a JSON text has more values than are parsed. */
export function hasTooManyJsonValues(text: string): boolean {
  // A value takes a character.
  return (
    text.length > maxJsonValues && countJsonValues(Buffer.from(text), maxJsonValues) > maxJsonValues
  );
}

/** Throws a `MalformedResponseError` for an upstream's event that nests deeper, or has more JSON values, than is parsed. */
export function assertEventWithinJsonLimits(event: string): void {
  if (exceedsMaxJsonDepth(event)) throw nestingTooDeepError("an event");
  if (hasTooManyJsonValues(event))
    throw new MalformedResponseError("sent an event of more values than can be read");
}

/** The error for what an upstream sent, if it nests deeper than is parsed. */
export function nestingTooDeepError(what: string): MalformedResponseError {
  return new MalformedResponseError(`sent ${what} nested deeper than ${maxJsonDepth} levels`);
}

/** Counts the values of all JSON texts of one answer that are parsed. */
export class JsonValueBudget {
  #left = maxJsonValues;

  /** Throws a `MalformedResponseError` when the text nests deeper, or the texts have more values, than is parsed. */
  take(text: string): void {
    if (exceedsMaxJsonDepth(text)) throw nestingTooDeepError("arguments");
    this.#left -= countJsonValues(Buffer.from(text), this.#left);
    if (this.#left < 0)
      throw new MalformedResponseError("sent arguments of more values than can be read");
  }
}
