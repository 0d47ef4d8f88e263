import { serializeCustomToolInput } from "../custom-tool.ts";
import { opaquePartToText } from "../opaque-text.ts";
import { parseToolUseInput, formatInvalidToolUseInputError } from "./parse-input.ts";
import type {
  OpaquePart,
  NeutralPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../neutral-request.ts";
import { encodeFile, encodeImage, encodeSearchResultPart } from "./encode-media.ts";
import { encodeMcpServerCall } from "./mcp-servers.ts";
import type { MessagesWireObject } from "./wire.ts";
import { encodeCacheControl, type RequestEncodingContext } from "./encoding-context.ts";

/** The blocks of a part; none where it holds nothing, for the vendor refuses empty text. */
export function encodePart(
  writing: RequestEncodingContext,
  part: NeutralPart,
): readonly MessagesWireObject[] {
  switch (part.type) {
    case "text":
      return encodeTextBlock(writing, part);
    case "refusal":
      return encodeTextBlock(writing, { ...part, type: "text" });
    case "image":
      return [{ ...encodeImage(writing, part), ...encodeCacheControl(writing, part.cache) }];
    case "file":
      return [{ ...encodeFile(writing, part), ...encodeCacheControl(writing, part.cache) }];
    case "search-result":
      return [{ ...encodeSearchResultPart(part), ...encodeCacheControl(writing, part.cache) }];
    case "reasoning":
      return encodeReasoning(writing, part);
    case "tool-call":
      return [encodeToolCall(writing, part)];
    case "tool-result":
      return [encodeToolResult(writing, part)];
    case "opaque":
      return encodeMcpServerCall(writing, part) ?? encodeOpaque(writing, part);
  }
}

const none: readonly unknown[] = [];

/** Blank text is left out: it says nothing, and the vendor refuses it. */
export function encodeTextBlock(
  writing: RequestEncodingContext,
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
    part.cache === undefined ? block : { ...block, ...encodeCacheControl(writing, part.cache) },
  ];
}

/** Only what this vendor signed goes back to it; anything else would be a 400 there. */
function encodeReasoning(
  { warnings: ledger }: RequestEncodingContext,
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

function encodeToolCall(writing: RequestEncodingContext, part: ToolCallPart): MessagesWireObject {
  return {
    type: "tool_use",
    id: writing.callIds.get(part.id) ?? part.id,
    name: writing.names.of(part.name, part.namespace),
    input: inputOf(writing, part),
    ...encodeCacheControl(writing, part.cache),
  };
}

function inputOf(writing: RequestEncodingContext, part: ToolCallPart): unknown {
  const text = part.kind === "custom" ? serializeCustomToolInput(part.arguments) : part.arguments;
  if (text.trim() === "") return {};
  const path = part.argumentsPath ?? part.path;
  return (
    parseToolUseInput(text) ?? writing.warnings.reject(path, formatInvalidToolUseInputError(path))
  );
}

function encodeToolResult(
  writing: RequestEncodingContext,
  part: ToolResultPart,
): MessagesWireObject {
  const content = part.content.flatMap((inner) => encodePart(writing, inner));
  return {
    type: "tool_result",
    tool_use_id: writing.callIds.get(part.callId) ?? part.callId,
    ...(content.length === 0 ? {} : { content: unwrapSingleTextBlock(content) }),
    ...(part.isError ? { is_error: true } : {}),
    ...encodeCacheControl(writing, part.cache),
  };
}

/** One plain text is written as a string, which every server of this dialect takes. */
export function unwrapSingleTextBlock(blocks: readonly MessagesWireObject[]): unknown {
  const [first, ...rest] = blocks;
  const isPlain = first?.["type"] === "text" && Object.keys(first).length === 2;
  return isPlain && rest.length === 0 ? first["text"] : blocks;
}

function encodeOpaque(
  writing: RequestEncodingContext,
  part: OpaquePart,
): readonly MessagesWireObject[] {
  if (part.dialect === "dialect_messages") return [{ ...part.raw }];
  const { path, cache } = part;
  return encodeTextBlock(writing, {
    type: "text",
    path,
    cache,
    text: opaquePartToText(part, writing.warnings),
  });
}
