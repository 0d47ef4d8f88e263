import { SseEventReader } from "./event-reader.ts";
import type { SseEvent } from "./stream-event.ts";

/** The complete events of a piece of an event stream; what follows the last blank line is left out. */
export function parseEventStreamText(text: string): readonly SseEvent[] {
  return new SseEventReader(Infinity).push(Buffer.from(text));
}
