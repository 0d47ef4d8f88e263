import { compactSurface } from "../../dialect/responses/compact-surface.ts";
import type { CallProgress } from "./call-progress.ts";
import type { AdmittedCall, ModelCall } from "./model-call.ts";
import { withOpenSummaries } from "../response/open-summaries.ts";
import type { SummarySeal } from "../response/summary-seal.ts";
import { readCallBody, readEmbeddingsBody, type CallBody } from "./read-call-body.ts";

/** A call and its body, as its caller sent it. */
export interface ReadCall {
  readonly call: ModelCall;
  readonly body: CallBody;
}

/**
 * Reads what decides where a call goes, and opens the summaries that it carries; takes the
 * bytes over. Throws 400 for a body that is none.
 */
export function readCall(
  summaries: SummarySeal,
  admitted: AdmittedCall,
  bytes: Buffer,
  progress: CallProgress,
): ReadCall {
  const requestBytes = bytes.length;
  try {
    const body = readByDialect(summaries, admitted, bytes);
    const { estimatedInput } = body;
    const isStream = body.isStream && admitted.surface !== compactSurface;
    const call = { ...admitted, requestBytes, isStream, estimatedInput };
    progress.call = call;
    return { call, body };
  } catch (error) {
    progress.call = { ...admitted, requestBytes };
    throw error;
  }
}

function readByDialect(
  summaries: SummarySeal,
  { surface, key }: AdmittedCall,
  bytes: Buffer,
): CallBody {
  if (!surface.isConversation) return readEmbeddingsBody(bytes);
  const body = readCallBody(bytes);
  if (surface.dialect !== "dialect_responses") return body;
  return withOpenSummaries(summaries, key.principal.accountId, body);
}
