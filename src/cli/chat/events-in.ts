import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { EventReader } from "../../platform/sse/event-reader.ts";
import { isJsonObject } from "../../contract/json/decode-json.ts";

/** Larger than any answer that a server keeps; the last event has the whole of it. */
const largestEventBytes = 64 * 1024 * 1024;

/** The events of a responses stream as they come; a whole response is its own last event. */
export async function* eventsIn(answer: Response): AsyncGenerator<JsonObject> {
  const [mediaType = ""] = (answer.headers.get("content-type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "text/event-stream") {
    yield* wholeResponse(await answer.text());
    return;
  }
  const reader = new EventReader(largestEventBytes);
  for await (const chunk of answer.body ?? []) {
    for (const { data } of reader.push(Buffer.from(chunk))) yield* objectsIn(data);
  }
  for (const { data } of reader.finish()) yield* objectsIn(data);
}

function wholeResponse(text: string): JsonObject[] {
  return objectsIn(text).map((response) => {
    const { status } = response;
    const end = typeof status === "string" ? status : "completed";
    return { type: `response.${end}`, response };
  });
}

/** Empty for what is no object of JSON, such as the `[DONE]` that some servers end with. */
function objectsIn(text: string): JsonObject[] {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? [value] : [];
  } catch {
    return [];
  }
}
