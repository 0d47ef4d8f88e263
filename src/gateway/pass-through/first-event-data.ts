import { parseEventStreamText } from "../../platform/sse/read-events.ts";

/** Data of the first event of a stream; its blank line may be missing. */
export function extractFirstSseEventData(text: string): string {
  return parseEventStreamText(`${text}\n\n`)[0]?.data ?? "";
}
