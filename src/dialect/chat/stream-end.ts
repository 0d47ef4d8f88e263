import { findSseFieldValueStart } from "../../platform/sse/field-value.ts";
import type { StreamLineClassification } from "../../platform/sse/frame-tracker.ts";
import type { SeenStreamTerminators } from "../dialect-surface.ts";

const openBracket = 0x5b;
const openBrace = 0x7b;

/** Tells `data: [DONE]` and error frames from the rest. */
export function classifyChatStreamLine(
  bytes: Buffer,
  start: number,
  end: number,
): StreamLineClassification {
  const value = findSseFieldValueStart(bytes, start, end, "data");
  if (value === -1) return readEventLine(bytes, start, end);
  const first = bytes[value];
  if (first === openBracket) return isDone(bytes.toString("latin1", value, end)) ? "end" : "none";
  if (first !== openBrace) return "none";
  return isError(bytes.toString("latin1", value, Math.min(end, value + 16))) ? "error" : "none";
}

/** `[DONE]` is optional: a stream whose choices have finished is whole. */
export function isCompleteWithoutEndSignal(tail: string): boolean {
  return /"finish_reason"\s*:\s*"/.test(tail);
}

/** Some clients wait for `[DONE]`, although the official one does not. */
export function buildChatOmittedEndFrames({
  sawEnd,
  lacksBlankLine,
}: SeenStreamTerminators): string {
  return sawEnd ? "" : `${lacksBlankLine ? "\n\n" : ""}data: [DONE]\n\n`;
}

function isDone(value: string): boolean {
  return value.trimEnd() === "[DONE]";
}

/** A chunk begins with its id; some upstreams put `"error": null` first. */
function isError(head: string): boolean {
  return /^\{\s*"error"\s*:\s*[{"]/.test(head);
}

function readEventLine(bytes: Buffer, start: number, end: number): StreamLineClassification {
  const value = findSseFieldValueStart(bytes, start, end, "event");
  return value !== -1 && bytes.toString("latin1", value, end).trimEnd() === "error"
    ? "error"
    : "none";
}
