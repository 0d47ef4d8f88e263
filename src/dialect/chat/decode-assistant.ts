import { invalidRequestError } from "../../platform/errors.ts";
import { missingField, type BodyReader } from "../body-reader.ts";
import type { DecodeContext } from "../codec.ts";
import type { Part, ToolCallPart } from "../neutral-request.ts";
import { decodeBreakpoint } from "./decode-breakpoint.ts";
import { decodeReasoningParts } from "./decode-reasoning.ts";
import { decodeTexts, contentText } from "./decode-content.ts";

/** An assistant's message: what it thought, said or refused, and its calls, in this order. */
export function decodeAssistant(
  item: BodyReader,
  legacyId: string,
  context: DecodeContext,
): readonly Part[] {
  if (item.has("audio")) {
    throw invalidRequestError(item.pathOf("audio"), "This upstream knows no audio answers.");
  }
  const calls = item.objects("tool_calls").map(decodeCall);
  return [
    ...decodeReasoningParts(item, calls, context),
    ...decodeWords(item),
    ...decodeRefusal(item),
    ...calls,
    ...decodeLegacyCall(item, legacyId),
  ];
}

function decodeWords(item: BodyReader): readonly Part[] {
  const { content } = item.value;
  if (typeof content === "string") return contentText(item, content);
  if (!item.objects("content").some(isRefusal)) return decodeTexts(item);
  return item
    .objects("content")
    .map((part) =>
      isRefusal(part)
        ? { type: "refusal", path: part.path, text: part.string("refusal") ?? "" }
        : { type: "text", path: part.path, text: part.string("text") ?? "" },
    );
}

function isRefusal(part: BodyReader): boolean {
  return part.string("type") === "refusal";
}

function decodeRefusal(item: BodyReader): readonly Part[] {
  const text = item.string("refusal") ?? "";
  return text === "" ? [] : [{ type: "refusal", path: item.pathOf("refusal"), text }];
}

function decodeCall(call: BodyReader): ToolCallPart {
  const id = call.string("id") ?? missingField(call.pathOf("id"));
  const custom = call.object("custom");
  if (custom !== undefined) return partOf(call, custom, "custom", "input", id);
  const named = call.object("function") ?? missingField(call.pathOf("function"));
  return partOf(call, named, "function", "arguments", id);
}

function partOf(
  call: BodyReader,
  named: BodyReader,
  kind: ToolCallPart["kind"],
  field: string,
  id: string,
): ToolCallPart {
  return {
    type: "tool-call",
    path: call.path,
    cache: decodeBreakpoint(call),
    kind,
    id,
    name: named.requiredString("name"),
    arguments: named.string(field) ?? "",
    argumentsPath: named.pathOf(field),
  };
}

/** Its id is made of its place, for the dialect had none then. */
function decodeLegacyCall(item: BodyReader, id: string): readonly ToolCallPart[] {
  const call = item.object("function_call");
  return call === undefined ? [] : [partOf(call, call, "function", "arguments", id)];
}
