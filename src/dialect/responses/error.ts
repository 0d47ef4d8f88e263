import { printEvent } from "../../platform/sse/print-event.ts";
import type { DialectError } from "../dialect-error.ts";

/**
 * The `error` event of a responses stream, numbered after the last event the
 * caller has. It alone makes the official client throw, whatever came before.
 */
export function printResponsesStreamError(error: DialectError, sent: string): string {
  return printEvent(
    {
      type: "error",
      code: error.code,
      message: error.message,
      param: error.param,
      sequence_number: nextSequenceNumber(sent),
      request_id: error.requestId,
    },
    "error",
  );
}

/** A quote inside JSON text is escaped, so that the pattern finds keys only. */
function nextSequenceNumber(sent: string): number {
  const numbers = sent.match(/"sequence_number"\s*:\s*\d+/g);
  const last = numbers?.at(-1)?.replace(/^\D+/, "");
  return last === undefined ? 0 : Number(last) + 1;
}
