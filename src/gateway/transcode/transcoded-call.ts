import type { Capabilities } from "../../dialect/capabilities.ts";
import type { Compaction } from "../../dialect/compaction.ts";
import type { AnswerContext, Codec, EncodedRequest } from "../../dialect/codec.ts";
import type { Turn } from "../../dialect/turn.ts";
import type { Answer } from "../call/answer.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { CallTarget } from "../dial/call-target.ts";
import type { Outbound } from "../dial/outbound.ts";
import type { KeepAnswer } from "./keep-answer.ts";
import type { RememberThoughts } from "./remember-thoughts.ts";

/** One call between two dialects, or in one whose upstream answered in the other form. */
export interface TranscodedCall {
  readonly call: ModelCall;
  readonly answer: Answer;
  readonly target: CallTarget;
  /** The caller's dialect. */
  readonly from: Codec;
  /** The upstream's dialect. */
  readonly to: Codec;
  readonly turn: Turn;
  /** What is summed up before anything is answered; undefined: nothing. */
  readonly compaction: Compaction | undefined;
  /** A summary as its caller gets it. */
  readonly sealSummary: (summary: string) => string;
  readonly context: AnswerContext;
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: Capabilities;
  /** The first dial. */
  readonly encoded: EncodedRequest;
  /** Writes the turn anew, with capabilities that were learned or with more said. */
  readonly encode: (turn: Turn, capabilities: Capabilities) => EncodedRequest;
  /** What one dial sends. */
  readonly dial: (encoded: EncodedRequest) => Omit<Outbound, "receive">;
  readonly reportFault: (error: unknown) => void;
  /** Keeps the answer for later calls; undefined: it is not to be kept. */
  readonly keep: KeepAnswer | undefined;
  /** Remembers thoughts for a caller who may not send them back; undefined: it always does. */
  readonly remember: RememberThoughts | undefined;
}
