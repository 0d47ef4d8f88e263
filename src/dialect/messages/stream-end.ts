import { recordToMap } from "../../platform/lookup-table.ts";
import { findSseFieldValueStart } from "../../platform/sse/field-value.ts";
import type { StreamLineClassification } from "../../platform/sse/frame-tracker.ts";
import type { SeenStreamTerminators } from "../dialect-surface.ts";

const signals = recordToMap<StreamLineClassification>({
  message_stop: "end",
  error: "error",
});

/** Tells `message_stop` and errors from the rest: every frame of this dialect is named. */
export function classifyMessagesStreamLine(
  bytes: Buffer,
  start: number,
  end: number,
): StreamLineClassification {
  const name = findSseFieldValueStart(bytes, start, end, "event");
  return name === -1
    ? "none"
    : (signals.get(bytes.toString("latin1", name, end).trimEnd()) ?? "none");
}

/** Nothing else ends a stream of messages. */
export function isCompleteWithoutEndSignal(): boolean {
  return false;
}

/** The official client loses an event that no blank line closes. */
export function buildMessagesOmittedEndFrames({ lacksBlankLine }: SeenStreamTerminators): string {
  return lacksBlankLine ? "\n\n" : "";
}
