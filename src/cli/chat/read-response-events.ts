import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { BodyTooLargeError, readBodyBytesOrThrow } from "../../platform/read-body-bytes.ts";
import { SseEventReader, SseEventTooLargeError } from "../../platform/sse/event-reader.ts";
import { maxCliResponseBytes } from "../invoke-method.ts";
import { CliError } from "../cli-error.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";

/** All events of an answer: its text comes in small pieces, and once more whole. */
const maxStreamBytes = 256 * 1024 * 1024;

/**
 * The events of a responses stream as they come; a whole response is its own last event. Rejects
 * with a `CliError` where the server sends more than any answer has.
 */
export async function* readResponseEvents(answer: Response): AsyncGenerator<JsonObject> {
  try {
    yield* readEvents(answer);
  } catch (error) {
    const isTooLarge = error instanceof BodyTooLargeError || error instanceof SseEventTooLargeError;
    throw isTooLarge ? new CliError(`The server ${error.message}.`) : error;
  }
}

async function* readEvents(answer: Response): AsyncGenerator<JsonObject> {
  const [mediaType = ""] = (answer.headers.get("content-type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "text/event-stream") {
    yield* wholeResponse((await readBodyBytesOrThrow(answer.body, maxCliResponseBytes)).toString());
    return;
  }
  const reader = new SseEventReader(maxCliResponseBytes);
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxStreamBytes) throw new BodyTooLargeError(maxStreamBytes);
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
    return isProtobufJsonObject(value) ? [value] : [];
  } catch {
    return [];
  }
}
