import type { ModelCapabilities } from "../../dialect/capabilities.ts";
import type { ConversationCompactionPlan } from "../../dialect/compaction.ts";
import type { ResponseEncodingContext, DialectCodec, EncodedRequest } from "../../dialect/codec.ts";
import type { NeutralRequest } from "../../dialect/neutral-request.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import type { ModelCall } from "../call/model-call.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import type { OutboundRequest } from "../upstream/outbound-request.ts";
import type { NeutralResponseStoreCallback } from "./store-transcoded-response.ts";
import type { ReasoningCacheWriter } from "./cache-reasoning.ts";

/** One call between two dialects, or in one whose upstream answered in the other form. */
export interface TranscodedCall {
  readonly call: ModelCall;
  readonly response: CallerResponse;
  readonly target: ResolvedUpstream;
  /** The caller's dialect. */
  readonly from: DialectCodec;
  /** The upstream's dialect. */
  readonly to: DialectCodec;
  readonly request: NeutralRequest;
  /** What is summed up before anything is answered; undefined: nothing. */
  readonly compaction: ConversationCompactionPlan | undefined;
  /** A summary as its caller gets it. */
  readonly sealSummary: (summary: string) => string;
  readonly context: ResponseEncodingContext;
  /** The id that the upstream knows. */
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /** The first dial. */
  readonly encoded: EncodedRequest;
  /** Writes the turn anew, with capabilities that were learned or with more said. */
  readonly encode: (turn: NeutralRequest, capabilities: ModelCapabilities) => EncodedRequest;
  /** What one dial sends. */
  readonly toOutboundRequest: (encoded: EncodedRequest) => Omit<OutboundRequest, "receive">;
  readonly reportInternalError: (error: unknown) => void;
  /** Keeps the answer for later calls; undefined: it is not to be kept. */
  readonly storeResponse: NeutralResponseStoreCallback | undefined;
  /** Remembers thoughts for a caller who may not send them back; undefined: it always does. */
  readonly cacheReasoning: ReasoningCacheWriter | undefined;
}
