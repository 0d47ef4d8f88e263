import type { IncomingHttpHeaders } from "node:http";
import type { ResolvedUpstream } from "./call-target.ts";
import type { StreamStage } from "../pass-through/stage.ts";

/** What one dial sends, and who takes its answer. */
export interface OutboundRequest {
  readonly target: ResolvedUpstream;
  /** With the path of the target's base address. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Buffer;
  /** Most requests that the call may need after this one; the next repeats its prompt and what was answered. */
  readonly maxFollowUps?: number;
  /** Chooses by the head of the answer what becomes of its body. */
  receive(head: UpstreamResponseHead): StreamStage<Buffer>;
}

/** An answer that has begun: what its head says. */
export interface UpstreamResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Dials the same target once more when this answer has ended, with something
   * else to say. The caller has heard nothing of this answer, or goes on in it.
   */
  readonly sendFollowUp: (outbound: OutboundRequest) => void;
}
