import { serializeSseEvent } from "../../platform/sse/serialize-event.ts";
import type { CallerFacingError } from "../dialect-error.ts";
import { buildStreamErrorObject } from "../nested-error.ts";

/**
 * The error frame of a chat stream. The client raises it wherever it comes;
 * neither a finish chunk nor `[DONE]` may follow.
 */
export function serializeChatStreamError(error: CallerFacingError): string {
  return serializeSseEvent({ error: buildStreamErrorObject(error) });
}
