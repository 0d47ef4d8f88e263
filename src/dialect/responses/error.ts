import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import type { CallerFacingError } from "../dialect-error.ts";
import { buildStreamErrorObject, toOpenAiErrorCode } from "../nested-error.ts";

/**
 * The `error` event of a responses stream, numbered after the last event the
 * caller has. It alone makes the official client throw, whatever came before.
 */
export function serializeResponsesStreamError(error: CallerFacingError, sent: string): string {
  return serializeResponsesErrorEvent(error, nextSequenceNumber(sent));
}

/**
 * The same for a stream whose events were counted. What went wrong stands in it twice:
 * the vendor documents it beside `type` and sends it inside `error`, and clients read either.
 */
export function serializeResponsesErrorEvent(
  error: CallerFacingError,
  sequenceNumber: number,
): string {
  return serializeSseEvent(
    {
      type: "error",
      code: toOpenAiErrorCode(error),
      message: error.message,
      param: error.param,
      sequence_number: sequenceNumber,
      request_id: error.requestId,
      error: buildStreamErrorObject(error),
    },
    "error",
  );
}

/** `response.error.code` is a closed list, of which two words fit a gateway's failures. */
export function toResponsesResponseErrorCode(code: string | null | undefined): string {
  return code !== null && code !== undefined && code.startsWith("rate_limit")
    ? "rate_limit_exceeded"
    : "server_error";
}

/** A quote inside JSON text is escaped, so that the pattern finds keys only. */
function nextSequenceNumber(sent: string): number {
  const numbers = sent.match(/"sequence_number"\s*:\s*\d+/g);
  const last = numbers?.at(-1)?.replace(/^\D+/, "");
  return last === undefined ? 0 : Number(last) + 1;
}
