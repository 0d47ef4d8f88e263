import { printEvent } from "../../platform/sse/print-event.ts";
import type { DialectError } from "../dialect-error.ts";
import { streamedError } from "../nested-error.ts";

/**
 * The error frame of a chat stream. The client raises it wherever it comes;
 * neither a finish chunk nor `[DONE]` may follow.
 */
export function printStreamErrorFrame(error: DialectError): string {
  return printEvent({ error: streamedError(error) });
}
