import { readEvents } from "../../platform/sse/read-events.ts";

/** Data of the first event of a stream; its blank line may be missing. */
export function firstEventData(text: string): string {
  return readEvents(`${text}\n\n`)[0]?.data ?? "";
}
