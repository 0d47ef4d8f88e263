import type { JsonObject } from "../../src/dialect/json.ts";
import { messagesCodec } from "../../src/dialect/messages/codec.ts";
import type { NeutralRequest } from "../../src/dialect/neutral-request.ts";
import { requestContext } from "./codec-contexts.ts";
import { refusedParam } from "./transcoding.ts";

/** A caller's body, read, and what was lost as `path reason`. */
export function decode(fields: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  const context = requestContext(headers);
  const body = {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: "hi" }],
    ...fields,
  };
  const turn = messagesCodec.decodeRequest(body, context);
  return { turn, losses: context.warnings.warnings.map(({ path, reason }) => `${path} ${reason}`) };
}

/** The `param` of the refusal. */
export function refused(fields: JsonObject, headers?: Readonly<Record<string, string>>) {
  return refusedParam(() => decode(fields, headers));
}

/** One message of the user. */
export function user(...content: readonly JsonObject[]): JsonObject {
  return { messages: [{ role: "user", content }] };
}

/** An assistant message between two of the user. */
export function assistant(...content: readonly JsonObject[]): JsonObject {
  return {
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content },
      { role: "user", content: "b" },
    ],
  };
}

/** Roles and kinds of parts. */
export function shapeOf({ messages }: NeutralRequest) {
  return messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)]);
}
