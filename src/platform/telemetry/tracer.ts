import type { ModelOperation } from "./model-operation.ts";

/** What is known of a request when it enters. */
export interface ServerCall {
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
export interface ServerOutcome {
  /** HTTP status; 499: the caller hung up. */
  readonly status: number;
  /** Code of the catalogue, on a refusal. */
  readonly errorCode?: string | undefined;
}

/** A span that others stand below, in this process or another. */
export interface ParentSpan {
  /** What names it, as the header of W3C Trace Context does. */
  readonly traceparent: string;
}

/** The span of a request that has begun. It must be ended exactly once. */
export interface ServerSpan extends ParentSpan {
  end(outcome: ServerOutcome): void;
}

/** A turn that a process begins to run. */
export interface StartedTurn {
  readonly turnId: string;
  /** 1 for the first process that runs it; more after take-overs. */
  readonly attempt: number;
  /** Of the request that asked for it; undefined: that was not traced. */
  readonly traceparent: string | undefined;
}

/** The span of a turn, for as long as one process runs it. It must be ended exactly once. */
export interface TurnSpan extends ParentSpan {
  /** `status` of its response; undefined: it has not ended here. */
  end(status: string | undefined): void;
}

/**
 * The tracing that the code knows: one span per request, one per turn that a process
 * runs, and one per operation of a model. What a span can hold is fixed by these types,
 * so that no secret, body, header or e-mail address can get into one. Without a collector
 * every method answers undefined and does nothing.
 */
export interface Tracer {
  /** False: nothing is traced, and hooks need not be installed. */
  readonly enabled: boolean;
  startServerSpan(call: ServerCall): ServerSpan | undefined;
  startTurnSpan(turn: StartedTurn): TurnSpan | undefined;
  /** Adds the span of an operation that has ended. */
  addOperation(parent: ParentSpan | undefined, operation: ModelOperation): void;
  /** Sends what is left, five seconds at most; never rejects. */
  close(): Promise<void>;
}

/** Traces nothing. */
export const noTracer: Tracer = {
  enabled: false,
  startServerSpan: () => undefined,
  startTurnSpan: () => undefined,
  addOperation: () => {},
  close: async () => {},
};
