import { countValues } from "../platform/json-splice/count-values.ts";
import { MalformedResponseError } from "./codec.ts";

/** Most JSON values of one body, event or answer that is parsed. A conversation of two thousand messages has some fifty thousand. */
export const maxJsonValues = 400_000;

/** Whether a JSON text has more values than are parsed. */
export function hasTooManyValues(text: string): boolean {
  // A value takes a character.
  return (
    text.length > maxJsonValues && countValues(Buffer.from(text), maxJsonValues) > maxJsonValues
  );
}

/** Throws a `MalformedResponseError` for an upstream's event of more JSON values than are parsed. */
export function rejectManyValues(event: string): void {
  if (hasTooManyValues(event))
    throw new MalformedResponseError("sent an event of more values than can be read");
}

/** Counts the values of all JSON texts of one answer that are parsed. */
export class ValueBudget {
  #left = maxJsonValues;

  /** Throws a `MalformedResponseError` when the texts have more values than are parsed. */
  take(text: string): void {
    this.#left -= countValues(Buffer.from(text), this.#left);
    if (this.#left < 0)
      throw new MalformedResponseError("sent arguments of more values than can be read");
  }
}
