import { invalidRequestError } from "../../platform/errors.ts";
import { rejectMissingField, type RequestFieldReader } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type { NeutralPart, ToolCallPart } from "../neutral-request.ts";
import { decodeChatCacheBreakpoint } from "./decode-breakpoint.ts";
import { decodeChatReasoningParts } from "./decode-reasoning.ts";
import { decodeChatTextOnlyContent, stringToTextParts } from "./decode-content.ts";

/** An assistant's message: what it thought, said or refused, and its calls, in this order. */
export function decodeChatAssistantMessage(
  item: RequestFieldReader,
  legacyId: string,
  context: RequestDecodingContext,
): readonly NeutralPart[] {
  if (item.has("audio")) {
    throw invalidRequestError(item.pathOf("audio"), "This upstream knows no audio answers.");
  }
  const calls = item.objects("tool_calls").map(decodeCall);
  return [
    ...decodeChatReasoningParts(item, calls, context),
    ...decodeWords(item),
    ...decodeRefusal(item),
    ...calls,
    ...decodeLegacyCall(item, legacyId),
  ];
}

function decodeWords(item: RequestFieldReader): readonly NeutralPart[] {
  const { content } = item.value;
  if (typeof content === "string") return stringToTextParts(item, content);
  if (!item.objects("content").some(isRefusal)) return decodeChatTextOnlyContent(item);
  return item
    .objects("content")
    .map((part) =>
      isRefusal(part)
        ? { type: "refusal", path: part.path, text: part.string("refusal") ?? "" }
        : { type: "text", path: part.path, text: part.string("text") ?? "" },
    );
}

function isRefusal(part: RequestFieldReader): boolean {
  return part.string("type") === "refusal";
}

function decodeRefusal(item: RequestFieldReader): readonly NeutralPart[] {
  const text = item.string("refusal") ?? "";
  return text === "" ? [] : [{ type: "refusal", path: item.pathOf("refusal"), text }];
}

function decodeCall(call: RequestFieldReader): ToolCallPart {
  const id = call.string("id") ?? rejectMissingField(call.pathOf("id"));
  const custom = call.object("custom");
  if (custom !== undefined) return partOf(call, custom, "custom", "input", id);
  const named = call.object("function") ?? rejectMissingField(call.pathOf("function"));
  return partOf(call, named, "function", "arguments", id);
}

function partOf(
  call: RequestFieldReader,
  named: RequestFieldReader,
  kind: ToolCallPart["kind"],
  field: string,
  id: string,
): ToolCallPart {
  return {
    type: "tool-call",
    path: call.path,
    cache: decodeChatCacheBreakpoint(call),
    kind,
    id,
    name: named.requiredString("name"),
    arguments: named.string(field) ?? "",
    argumentsPath: named.pathOf(field),
  };
}

/** Its id is made of its place, for the dialect had none then. */
function decodeLegacyCall(item: RequestFieldReader, id: string): readonly ToolCallPart[] {
  const call = item.object("function_call");
  return call === undefined ? [] : [partOf(call, call, "function", "arguments", id)];
}
