import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { SseEventTooLargeError } from "../../../src/platform/sse/event-reader.ts";
import type { DocumentKind } from "./document-kinds.ts";

/** One or two dimensions of documents of one kind, on their way to one dialect. */
export interface Combination {
  readonly kind: string;
  readonly dimensions: readonly string[];
  readonly path: string;
}

/** A combination that takes time beyond the growth of its document, or fails as none may. */
export interface Finding extends Combination {
  readonly smallMs: number;
  readonly largeMs: number;
  /** The error that it threw; undefined: it only takes long. */
  readonly error: string | undefined;
}

/** The result of a combination: nothing, a refusal of its document, or a finding. */
export type Outcome = "linear" | "refused" | Finding;

/** The large document has so many times the repetitions of the small one. */
const growth = 4;

/** Work on the large document may take so many times as long. */
const maxRatio = 6.5;

/** Work below it is bounded well enough, and the machine says how long it takes. */
const minLargeMs = 200;

const attempts = 3;

/** So much slower, it is not measured again. */
const certainRatio = 12;

/** Returns all single dimensions of a kind and all pairs, each on all its ways. */
export function combinationsOf({ name, dimensions, paths }: DocumentKind): Combination[] {
  const sets = dimensions.flatMap((first, place) => [
    [first],
    ...dimensions.slice(place + 1).map((second) => [first, second]),
  ]);
  return sets.flatMap((set) => paths.map((path) => ({ kind: name, dimensions: set, path })));
}

/** Measures a combination at `size` and four times `size`. */
export function findGrowth(kind: DocumentKind, combination: Combination, size: number): Outcome {
  try {
    return measure(kind, combination, size);
  } catch (error) {
    if (isRefusal(error)) return "refused";
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...combination, smallMs: 0, largeMs: 0, error: text };
  }
}

function measure(kind: DocumentKind, combination: Combination, size: number): Outcome {
  const { dimensions, path } = combination;
  const times = { small: Infinity, large: Infinity };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const small = kind.prepare(dimensions, size, path);
    times.small = Math.min(times.small, millisecondsOf(small));
    const large = kind.prepare(dimensions, growth * size, path);
    times.large = Math.min(times.large, millisecondsOf(large));
    if (times.large < minLargeMs || times.large < maxRatio * times.small) return "linear";
    if (times.large > certainRatio * times.small) break;
  }
  return { ...combination, smallMs: times.small, largeMs: times.large, error: undefined };
}

/** The processor's time of this thread, so that a busy machine changes little. */
function millisecondsOf(work: () => void): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return Math.round((user + system) / 1000);
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return error.code !== "internal_error";
  return error instanceof MalformedResponseError || error instanceof SseEventTooLargeError;
}
