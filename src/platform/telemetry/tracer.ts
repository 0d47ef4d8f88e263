import type { GenAiOperationRecord } from "./model-operation.ts";

/** What is known of a request when it enters. */
export interface ServerSpanStart {
  /** `gateway` or `tools`. */
  readonly service: string;
  readonly method: string;
  /** The route's pattern; never the address, which holds codes and ids. */
  readonly route: string;
  readonly requestId: string;
  /** The `traceparent` header of the caller, if there was one (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

/** How a request ended. */
export interface ServerSpanOutcome {
  /** HTTP status; 499: the caller hung up. */
  readonly status: number;
  /** Code of the catalogue, on a refusal. */
  readonly errorCode?: string | undefined;
}

/** The span of a request that has begun. It must be ended exactly once. */
export interface ServerSpan {
  end(outcome: ServerSpanOutcome): void;
}

/**
 * The tracing that the code knows: one span per request and one per operation of
 * a model. What a span can hold is fixed by these types, so that no secret, body,
 * header or e-mail address can get into one. Without a collector every method
 * answers undefined and does nothing.
 */
export interface Tracer {
  /** False: nothing is traced, and hooks need not be installed. */
  readonly enabled: boolean;
  startServerSpan(call: ServerSpanStart): ServerSpan | undefined;
  /** Adds the span of an operation that has ended. */
  addOperation(parent: ServerSpan | undefined, operation: GenAiOperationRecord): void;
  /** Sends what is left, five seconds at most; never rejects. */
  close(): Promise<void>;
}

/** Traces nothing. */
export const noTracer: Tracer = {
  enabled: false,
  startServerSpan: () => undefined,
  addOperation: () => {},
  close: async () => {},
};
