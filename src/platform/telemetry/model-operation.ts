/** `error.type` of an error that has no name of its own (OpenTelemetry, Registry: error). */
export const otherErrorType = "_OTHER";

/** Tokens of one operation as the upstream told them; what is estimated here is never among them. */
export interface GenAiOperationTokens {
  /** Caches included. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/**
 * What was asked of one model of one upstream, its retries included, in the words of the
 * GenAI semantic conventions of OpenTelemetry. A call that fails over to another target is
 * one operation for each. Times are those of `performance.now()`.
 */
export interface GenAiOperationRecord {
  /** `gen_ai.operation.name`. */
  readonly name: string;
  /** `gen_ai.provider.name`: a value of the conventions where they have one. */
  readonly provider: string;
  /** The id that the upstream was asked for; a caller can have made it up. */
  readonly requestModel: string;
  /** What the upstream says has answered; undefined: nothing was answered, or it did not say. */
  readonly responseModel: string | undefined;
  readonly isStream: boolean;
  /** What the caller speaks, `dialect_chat` for instance. */
  readonly dialect: string;
  /** Base address of the upstream: for spans, never for metrics. */
  readonly server: URL;
  readonly startedAt: number;
  /** First byte of the answer's body; undefined: none came. */
  readonly firstChunkAt: number | undefined;
  readonly endedAt: number;
  /** HTTP status of the upstream; undefined: it never answered. */
  readonly status: number | undefined;
  /** `error.type`: a kind of failure (`timeout`), an HTTP status, or `_OTHER`; undefined: it went well. */
  readonly errorType: string | undefined;
  /** Undefined: the upstream did not tell all of them. */
  readonly tokens: GenAiOperationTokens | undefined;
}
