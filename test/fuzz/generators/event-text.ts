import type { SampleEvent } from "../dialects/dialect-samples.ts";
import { jsonText } from "./hostile.ts";

/** An event as it stands in a stream. */
export function eventText({ event, data }: SampleEvent): string {
  const name = event === undefined ? "" : `event: ${jsonText(event).replaceAll('"', "")}\n`;
  return `${name}data: ${data === "[DONE]" ? data : jsonText(data)}\n\n`;
}
