import { compactionDialectOperation } from "../../dialect/responses/compact-surface.ts";
import type { CallProgress } from "./call-progress.ts";
import type { CallWithBufferedBody, ModelCall } from "./model-call.ts";
import { openSealedSummariesInBody } from "../stored-responses/open-summaries.ts";
import type { SummarySealer } from "../stored-responses/summary-seal.ts";
import { scanCallBody, scanEmbeddingsBody, type CallRequestBody } from "./read-call-body.ts";

/** A call and its body, as its caller sent it. */
export interface CallWithBody {
  readonly call: ModelCall;
  readonly body: CallRequestBody;
}

/**
 * Reads what decides where a call goes, and opens the summaries that it carries; takes the
 * bytes over. Throws 400 for a body that is none.
 */
export function parseBufferedCall(
  summaries: SummarySealer,
  arrived: CallWithBufferedBody,
  bytes: Buffer,
  progress: CallProgress,
): CallWithBody {
  const requestBytes = bytes.length;
  try {
    const body = readByDialect(summaries, arrived, bytes);
    const { estimatedInput } = body;
    const isStream = body.isStream && arrived.surface !== compactionDialectOperation;
    const call = { ...arrived, requestBytes, isStream, estimatedInput };
    progress.call = call;
    return { call, body };
  } catch (error) {
    progress.call = { ...arrived, requestBytes };
    throw error;
  }
}

function readByDialect(
  summaries: SummarySealer,
  { surface, key, hold }: CallWithBufferedBody,
  bytes: Buffer,
): CallRequestBody {
  if (!surface.isConversation) return scanEmbeddingsBody(bytes);
  const body = scanCallBody(bytes);
  if (surface.dialect !== "dialect_responses") return body;
  return openSealedSummariesInBody(summaries, key.principal.accountId, body, hold);
}
