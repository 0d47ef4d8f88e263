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

/** What is known of an upstream call when it is dialled. */
export interface UpstreamCall {
  readonly method: string;
  readonly host: string;
  readonly port: number;
  /** For instance `dialect_chat`. */
  readonly dialect: string;
}

/** How an upstream call ended. */
export interface UpstreamOutcome {
  /** HTTP status of the upstream; undefined when it never answered. */
  readonly status?: number | undefined;
  /** Kind of failure, `connect` or `timeout` for instance. */
  readonly failure?: string | undefined;
}

/** A span that has begun. It must be ended exactly once. */
export interface Span<Outcome> {
  end(outcome: Outcome): void;
}

export type ServerSpan = Span<ServerOutcome>;
export type UpstreamSpan = Span<UpstreamOutcome>;

/**
 * The tracing that the code knows: one span per request and one per upstream
 * call. What a span can hold is fixed by these types, so that no secret, body,
 * header or e-mail address can get into one. Without a collector every method
 * answers undefined and does nothing.
 */
export interface Tracer {
  /** False: nothing is traced, and hooks need not be installed. */
  readonly enabled: boolean;
  startServerSpan(call: ServerCall): ServerSpan | undefined;
  startUpstreamSpan(parent: ServerSpan | undefined, call: UpstreamCall): UpstreamSpan | undefined;
  /** Sends what is left, five seconds at most; never rejects. */
  close(): Promise<void>;
}

/** Traces nothing. */
export const noTracer: Tracer = {
  enabled: false,
  startServerSpan: () => undefined,
  startUpstreamSpan: () => undefined,
  close: async () => {},
};
