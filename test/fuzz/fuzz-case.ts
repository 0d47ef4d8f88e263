/** Which of the two ports a case is sent to. */
export type ServiceName = "gateway" | "tools";

/** What the sender does after its last byte: waits for an answer, closes its side, resets, or just leaves. */
export type Ending = "wait" | "half-close" | "reset" | "leave";

/** Bytes on a connection of their own, one write for each piece. */
export interface RawCase {
  readonly kind: "raw";
  readonly service: ServiceName;
  /** How what comes back is read. */
  readonly reads: "http1" | "http2";
  readonly pieces: readonly Buffer[];
  readonly ending: Ending;
  /** Statuses that are right although they are 5xx. */
  readonly tolerates: readonly number[];
}

/** A request whose framing is right, on a connection that others use as well. */
export interface CallCase {
  readonly kind: "call";
  readonly service: ServiceName;
  readonly version: "http1" | "http2";
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Statuses that are right although they are 5xx. */
  readonly tolerates: readonly number[];
  /** What the upstream double answers to it; undefined: an honest answer. */
  readonly upstream?: UpstreamAnswer;
}

/** What the upstream double writes and how it ends. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Buffer[];
  readonly ending: "end" | "reset" | "stall";
}

export type FuzzCase = RawCase | CallCase;

/** All that came back. */
export interface Answer {
  /** Of each answer on the connection, interim ones left out. */
  readonly statuses: readonly number[];
  /** Codes of `grpc-status`, wherever they stood. */
  readonly grpcStatuses: readonly number[];
  /** Heads and bodies as they came, at most 64 KiB. */
  readonly text: string;
  /** A call that waited for its answer for as long as any may take. */
  readonly isLate: boolean;
}
