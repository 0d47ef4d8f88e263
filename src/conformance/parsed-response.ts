/** What an answer says, in no dialect. */
export interface ConformanceResponse {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly ConformanceToolCall[];
  readonly stop: ConformanceStopReason;
  /** Undefined: the answer tells no usage. */
  readonly usage: ConformanceResponseUsage | undefined;
}

export interface ConformanceToolCall {
  readonly id: string;
  readonly name: string;
  /** The input as JSON text. */
  readonly arguments: string;
}

/** Why an answer ended; `other` for a word that stands for none of these. */
export type ConformanceStopReason =
  | "end"
  | "stop-sequence"
  | "length"
  | "calls"
  | "filter"
  | "other";

export interface ConformanceResponseUsage {
  /** All tokens of the request, those from caches included. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** As told; undefined where the dialect tells none. */
  readonly total: number | undefined;
}

/** A count that is missing, or is none, counts nothing: the shape checks tell of it. */
export function readCountOrZero(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}
