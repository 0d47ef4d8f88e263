import { asObject, type JsonObject } from "../dialect/json.ts";
import type { ResponsesStreamEvent } from "../domain/durable-turn.ts";

/** The event that a frame brings. */
export function parseSseFrameEvent(frame: string): ResponsesStreamEvent {
  const line = frame.slice(frame.indexOf("data: ") + "data: ".length, -2);
  const event: JsonObject = asObject(JSON.parse(line)) ?? {};
  return { ...event, type: String(event["type"]) };
}
