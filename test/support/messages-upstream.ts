import type { ModelCapabilities } from "../../src/dialect/capabilities.ts";
import { asArrayOrEmpty, type JsonObject } from "../../src/dialect/json.ts";
import { transcode } from "./transcoding.ts";

/** A chat body for a messages upstream. */
export function fromChat(
  body: JsonObject,
  capabilities: Partial<ModelCapabilities> = {},
  model = "up-model",
) {
  return transcode(
    { model: "m", messages: [{ role: "user", content: "hi" }], ...body },
    { from: "dialect_chat", to: "dialect_messages", capabilities, model },
  );
}

/** A responses body for a messages upstream. */
export function fromResponses(body: JsonObject, capabilities: Partial<ModelCapabilities> = {}) {
  return transcode(
    { model: "m", input: "hi", ...body },
    { from: "dialect_responses", to: "dialect_messages", capabilities },
  );
}

/** The messages that are sent. */
export function messagesOf({ body }: { readonly body: JsonObject }) {
  return asArrayOrEmpty(body["messages"]) as readonly { role: string; content: unknown }[];
}

/** A function tool of chat. */
export const tool = (name: string, more: JsonObject = {}) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} }, ...more },
});

/** An assistant message of chat with calls of `f`. */
export const calls = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: "f", arguments: "{}" },
  })),
});

/** The result of a call in chat. */
export const result = (id: string, content: unknown = "ok") => ({
  role: "tool",
  tool_call_id: id,
  content,
});
