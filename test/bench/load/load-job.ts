/** What every job of the load client needs. */
interface JobBase {
  /** Where to call, on 127.0.0.1. */
  readonly port: number;
  /** The whole HTTP/1.1 request, as it is written. */
  readonly request: string;
  /** Processes whose CPU time is taken around the measured part; empty: not taken. */
  readonly serverPids: readonly number[];
  /** When the job gives up. What is not answered by then counts as errors. */
  readonly deadlineMs: number;
}

/** A fixed number of requests, each connection sending the next when it has its answer. */
export interface ClosedLoopJob extends JobBase {
  readonly kind: "closed-loop";
  readonly requests: number;
  readonly connections: number;
}

/** A fixed number of requests at constant arrival, whether or not earlier ones are answered. */
export interface OpenLoopJob extends JobBase {
  readonly kind: "open-loop";
  readonly requests: number;
  readonly perSecond: number;
}

/** Streams side by side, measured in a window in which all of them run. */
export interface PacedStreamsJob extends JobBase {
  readonly kind: "paced-streams";
  readonly streams: number;
  /** Tokens that each stream must deliver from start to end. */
  readonly tokensPerStream: number;
  /** The starts are spread evenly over this time. */
  readonly spreadMs: number;
  readonly windowMs: number;
}

/** One stream that the caller leaves after a few tokens. */
export interface AbortedStreamJob extends JobBase {
  readonly kind: "aborted-stream";
  readonly afterTokens: number;
}

export type LoadJob = ClosedLoopJob | OpenLoopJob | PacedStreamsJob | AbortedStreamJob;

/** What a job measured. */
export interface LoadResult {
  /** Requests answered, or tokens delivered within the window. */
  readonly units: number;
  /** Calls made, those before the measured part included. */
  readonly calls: number;
  readonly errors: number;
  readonly firstError: string | undefined;
  /** Length of the measured part. */
  readonly elapsedMs: number;
  /** User and system time of the server's threads in the measured part. */
  readonly cpuMicroseconds: number | undefined;
  /** Time to the end of the answer, or to the first token of a stream, per call. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Streams in which no token came for ten periods. */
  readonly stalls: number;
  /** When the caller left, on the monotonic clock that the machine's processes share. */
  readonly abortedAtMs: number | undefined;
}
