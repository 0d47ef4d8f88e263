import { recordToMap } from "../../platform/lookup-table.ts";
import { findSseFieldValueStart } from "../../platform/sse/field-value.ts";
import type { StreamLineClassification } from "../../platform/sse/frame-tracker.ts";

const signals = recordToMap<StreamLineClassification>({
  "response.completed": "end",
  "response.incomplete": "end",
  "response.failed": "end",
  error: "error",
});

/** `{"type":"response.completed"` at the head of a data line, and its like. */
const typeFirst = /^\{\s*"type"\s*:\s*"(response\.(?:completed|incomplete|failed)|error)"/;

/** Longest head in which `typeFirst` can match, spaces allowed for. */
const headLength = 48;

/** Tells the terminal events and errors from the rest, by name or by type. */
export function classifyResponsesStreamLine(
  bytes: Buffer,
  start: number,
  end: number,
): StreamLineClassification {
  const name = findSseFieldValueStart(bytes, start, end, "event");
  if (name !== -1) return signals.get(bytes.toString("latin1", name, end).trimEnd()) ?? "none";
  const data = findSseFieldValueStart(bytes, start, end, "data");
  if (data === -1) return "none";
  const type = typeFirst.exec(bytes.toString("latin1", data, Math.min(end, data + headLength)));
  return signals.get(type?.[1] ?? "") ?? "none";
}

/** Upstreams that name no events may sort `type` to the end of the last one. */
export function isCompleteWithoutEndSignal(tail: string): boolean {
  return /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"\s*\}\s*$/.test(tail);
}
