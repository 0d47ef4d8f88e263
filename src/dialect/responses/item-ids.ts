import type { ClientToolKind } from "../neutral-request.ts";

/** What an output item is, by the head of its id. */
export type ResponsesOutputItemIdPrefix = "msg" | "fc" | "ctc" | "tsc" | "rs" | "cmp";

const callPrefixes = { function: "fc", custom: "ctc", search: "tsc" } as const;

/** The head of the id of a call. */
export function toolKindToCallIdPrefix(kind: ClientToolKind): ResponsesOutputItemIdPrefix {
  return callPrefixes[kind];
}

/**
 * Ids of an answer's items, all made from the 26 characters of the answer: the
 * first of a kind has just them, the next `_2` and so on, so that a stream and
 * its whole answer name their items alike.
 */
export class ResponsesOutputItemIdGenerator {
  readonly #id: string;
  readonly #counts = new Map<ResponsesOutputItemIdPrefix, number>();

  constructor(id: string) {
    this.#id = id;
  }

  next(prefix: ResponsesOutputItemIdPrefix): string {
    const count = (this.#counts.get(prefix) ?? 0) + 1;
    this.#counts.set(prefix, count);
    return count === 1 ? `${prefix}_${this.#id}` : `${prefix}_${this.#id}_${count}`;
  }
}

/** The id of an answer. */
export function addResponseIdPrefix(id: string): string {
  return `resp_${id}`;
}
