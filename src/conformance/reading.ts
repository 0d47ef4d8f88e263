/** What an answer says, in no dialect. */
export interface Reading {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly CallReading[];
  readonly stop: ReadStop;
  /** Undefined: the answer tells no usage. */
  readonly usage: ReadUsage | undefined;
}

export interface CallReading {
  readonly id: string;
  readonly name: string;
  /** The input as JSON text. */
  readonly arguments: string;
}

/** Why an answer ended; `other` for a word that stands for none of these. */
export type ReadStop = "end" | "stop-sequence" | "length" | "calls" | "filter" | "other";

export interface ReadUsage {
  /** All tokens of the request, those from caches included. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** As told; undefined where the dialect tells none. */
  readonly total: number | undefined;
}

/** A count that is missing, or is none, counts nothing: the shape checks tell of it. */
export function countOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}
