import { serializeCustomToolInput } from "../custom-tool.ts";
import { opaquePartToText } from "../opaque-text.ts";
import {
  parseMessagesToolUseInput,
  formatMessagesInvalidToolUseInputError,
} from "./parse-input.ts";
import type {
  OpaquePart,
  NeutralPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../neutral-request.ts";
import {
  encodeMessagesFile,
  encodeMessagesImage,
  encodeMessagesSearchResultPart,
} from "./encode-media.ts";
import { encodeMessagesMcpServerCall } from "./mcp-servers.ts";
import type { MessagesWireObject } from "./wire.ts";
import {
  encodeMessagesCacheControl,
  type MessagesRequestEncodingContext,
} from "./encoding-context.ts";

/** The blocks of a part; none where it holds nothing, for the vendor refuses empty text. */
export function encodeMessagesPart(
  writing: MessagesRequestEncodingContext,
  part: NeutralPart,
): readonly MessagesWireObject[] {
  switch (part.type) {
    case "text":
      return encodeMessagesTextBlock(writing, part);
    case "refusal":
      return encodeMessagesTextBlock(writing, { ...part, type: "text" });
    case "image":
      return [
        {
          ...encodeMessagesImage(writing, part),
          ...encodeMessagesCacheControl(writing, part.cache),
        },
      ];
    case "file":
      return [
        {
          ...encodeMessagesFile(writing, part),
          ...encodeMessagesCacheControl(writing, part.cache),
        },
      ];
    case "search-result":
      return [
        {
          ...encodeMessagesSearchResultPart(part),
          ...encodeMessagesCacheControl(writing, part.cache),
        },
      ];
    case "reasoning":
      return encodeReasoning(writing, part);
    case "tool-call":
      return [encodeToolCall(writing, part)];
    case "tool-result":
      return [encodeToolResult(writing, part)];
    case "opaque":
      return encodeMessagesMcpServerCall(writing, part) ?? encodeOpaque(writing, part);
  }
}

const none: readonly unknown[] = [];

/** Blank text is left out: it says nothing, and the vendor refuses it. */
export function encodeMessagesTextBlock(
  writing: MessagesRequestEncodingContext,
  part: TextPart,
): readonly MessagesWireObject[] {
  if (part.text.trim() === "") return [];
  const { citations = none } = part;
  const isOwn = writing.request.origin === "dialect_messages";
  if (citations.length > 0 && !isOwn)
    writing.warnings.drop(`${part.path}.annotations`, "unsupported");
  const block: MessagesWireObject = { type: "text", text: part.text };
  if (citations.length > 0 && isOwn) block["citations"] = citations;
  return [
    part.cache === undefined
      ? block
      : { ...block, ...encodeMessagesCacheControl(writing, part.cache) },
  ];
}

/** Only what this vendor signed goes back to it; anything else would be a 400 there. */
function encodeReasoning(
  { warnings: ledger }: MessagesRequestEncodingContext,
  part: ReasoningPart,
): readonly MessagesWireObject[] {
  const { encrypted: seal, texts } = part;
  if (seal?.dialect !== "dialect_messages") {
    ledger.drop(part.path, "foreign");
    return [];
  }
  if (seal.kind === "redacted") return [{ type: "redacted_thinking", data: seal.data }];
  return [{ type: "thinking", thinking: texts.join("\n\n"), signature: seal.signature }];
}

function encodeToolCall(
  writing: MessagesRequestEncodingContext,
  part: ToolCallPart,
): MessagesWireObject {
  return {
    type: "tool_use",
    id: writing.callIds.get(part.id) ?? part.id,
    name: writing.names.of(part.name, part.namespace),
    input: inputOf(writing, part),
    ...encodeMessagesCacheControl(writing, part.cache),
  };
}

function inputOf(writing: MessagesRequestEncodingContext, part: ToolCallPart): unknown {
  const text = part.kind === "custom" ? serializeCustomToolInput(part.arguments) : part.arguments;
  if (text.trim() === "") return {};
  const path = part.argumentsPath ?? part.path;
  return (
    parseMessagesToolUseInput(text) ??
    writing.warnings.reject(path, formatMessagesInvalidToolUseInputError(path))
  );
}

function encodeToolResult(
  writing: MessagesRequestEncodingContext,
  part: ToolResultPart,
): MessagesWireObject {
  const content = part.content.flatMap((inner) => encodeMessagesPart(writing, inner));
  return {
    type: "tool_result",
    tool_use_id: writing.callIds.get(part.callId) ?? part.callId,
    ...(content.length === 0 ? {} : { content: unwrapMessagesSingleTextBlock(content) }),
    ...(part.isError ? { is_error: true } : {}),
    ...encodeMessagesCacheControl(writing, part.cache),
  };
}

/** One plain text is written as a string, which every server of this dialect takes. */
export function unwrapMessagesSingleTextBlock(blocks: readonly MessagesWireObject[]): unknown {
  const [first, ...rest] = blocks;
  const isPlain = first?.["type"] === "text" && Object.keys(first).length === 2;
  return isPlain && rest.length === 0 ? first["text"] : blocks;
}

function encodeOpaque(
  writing: MessagesRequestEncodingContext,
  part: OpaquePart,
): readonly MessagesWireObject[] {
  if (part.dialect === "dialect_messages") return [{ ...part.raw }];
  const { path, cache } = part;
  return encodeMessagesTextBlock(writing, {
    type: "text",
    path,
    cache,
    text: opaquePartToText(part, writing.warnings),
  });
}
