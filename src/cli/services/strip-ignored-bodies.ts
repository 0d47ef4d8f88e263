import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";

/** JSON and forms, which alone tell a shape; also what does not say what it is. */
const learnedTypes = /^$|json|form/i;

/**
 * A HAR entry without bodies that nothing is learned from, such as those of images, scripts
 * and pages. The entry must be a well-formed JSON object.
 */
export function stripUnusedHarBodies(entry: Buffer): Buffer {
  const { request, response, ...rest } = JSON.parse(entry.toString()) as JsonObject;
  return Buffer.from(
    JSON.stringify({
      ...rest,
      request: withoutText(request, "postData"),
      response: withoutText(response, "content"),
    }),
  );
}

function withoutText(message: JsonValue | undefined, member: string): JsonValue | undefined {
  const body = isProtobufJsonObject(message) ? message[member] : undefined;
  if (!isProtobufJsonObject(message) || !isProtobufJsonObject(body)) return message;
  if (learnedTypes.test(readStringMemberOrEmpty(body, "mimeType"))) return message;
  const { text: _text, ...rest } = body;
  return { ...message, [member]: rest };
}
