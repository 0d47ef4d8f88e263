import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import { asArrayOrEmpty } from "../json.ts";
import { isReasoningEnvelope } from "../signed-envelope.ts";
import type {
  OpaquePart,
  NeutralPart,
  ReasoningPart,
  EncryptedReasoning,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../neutral-request.ts";
import { decodeMessagesCacheControl } from "./decode-cache.ts";
import {
  decodeMessagesDocument,
  decodeMessagesImage,
  decodeMessagesSearchResultBlock,
} from "./decode-media.ts";

const dialect = "dialect_messages";

/** A block of a user message, or inside a tool result. */
export function decodeMessagesUserBlock(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): readonly NeutralPart[] {
  return block.requiredString("type") === "tool_result"
    ? [decodeToolResult(block, context)]
    : decodeContent(block, context);
}

/** A block of an assistant message. A call of a vendor's toolset is none that others know. */
export function decodeMessagesAssistantBlock(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): readonly NeutralPart[] {
  switch (block.requiredString("type")) {
    case "tool_use":
      return [block.has("toolset_name") ? decodeOpaque(block) : decodeToolUse(block)];
    case "thinking":
      return decodeThinking(block, context);
    case "redacted_thinking": {
      const data = block.requiredString("data");
      return decodeRedactedThinking(block, data, [], { dialect, kind: "redacted", data }, context);
    }
    default:
      return decodeContent(block, context);
  }
}

/** Text with its citations as they are: they may go back to the same vendor. */
export function decodeMessagesTextBlock(block: RequestFieldReader): TextPart {
  const citations = asArrayOrEmpty(block.value["citations"]);
  return {
    type: "text",
    path: block.path,
    text: block.requiredString("text"),
    cache: decodeMessagesCacheControl(block),
    ...(citations.length === 0 ? {} : { citations }),
  };
}

type Content = ToolResultPart["content"][number];

function decodeContent(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): readonly Content[] {
  switch (block.requiredString("type")) {
    case "text":
      return [decodeMessagesTextBlock(block)];
    case "image":
      return [decodeMessagesImage(block, context)];
    case "document":
      return decodeMessagesDocument(block, context);
    case "search_result":
      return [decodeMessagesSearchResultBlock(block)];
    case "tool_reference":
      return [{ ...decodeOpaque(block), text: `Tool found: ${block.requiredString("tool_name")}` }];
    default:
      return [decodeOpaque(block)];
  }
}

/** Server tools, and what is newer than this code. */
function decodeOpaque(block: RequestFieldReader): OpaquePart {
  return {
    type: "opaque",
    path: block.path,
    cache: decodeMessagesCacheControl(block),
    dialect,
    name: block.requiredString("type"),
    raw: block.value,
  };
}

function decodeToolUse(block: RequestFieldReader): ToolCallPart {
  const input = block.object("input") ?? rejectMissingField(block.pathOf("input"));
  return {
    type: "tool-call",
    path: block.path,
    cache: decodeMessagesCacheControl(block),
    kind: "function",
    id: block.requiredString("id"),
    name: block.requiredString("name"),
    arguments: JSON.stringify(input.value),
    argumentsPath: block.pathOf("input"),
  };
}

function decodeToolResult(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): ToolResultPart {
  return {
    type: "tool-result",
    path: block.path,
    cache: decodeMessagesCacheControl(block),
    kind: "function",
    callId: block.requiredString("tool_use_id"),
    isError: block.boolean("is_error") ?? false,
    content: resultContent(block, context),
  };
}

/** A string, blocks, or nothing at all. */
function resultContent(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): readonly Content[] {
  const { content } = block.value;
  if (typeof content === "string") {
    return content === "" ? [] : [{ type: "text", path: block.pathOf("content"), text: content }];
  }
  return block.objects("content").flatMap((inner) => decodeContent(inner, context));
}

/** Without a signature nobody can prove who thought it. */
function decodeThinking(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): readonly ReasoningPart[] {
  const texts = [block.string("thinking") ?? ""].filter((text) => text !== "");
  const signature = block.string("signature") ?? "";
  if (signature === "") return drop(block, context);
  return decodeRedactedThinking(
    block,
    signature,
    texts,
    { dialect, kind: "thinking", signature },
    context,
  );
}

/** Our envelope opens to what the upstream gave; any other text is a vendor's own. */
function decodeRedactedThinking(
  block: RequestFieldReader,
  sealed: string,
  texts: readonly string[],
  own: EncryptedReasoning,
  context: RequestDecodingContext,
): readonly ReasoningPart[] {
  const { path } = block;
  if (!isReasoningEnvelope(sealed)) return [{ type: "reasoning", path, texts, encrypted: own }];
  const opened = context.envelope.open(sealed);
  return opened === undefined
    ? drop(block, context)
    : [{ type: "reasoning", path, texts: opened.texts, encrypted: opened.encryptedReasoning }];
}

function drop(
  block: RequestFieldReader,
  { warnings: ledger }: RequestDecodingContext,
): readonly [] {
  ledger.drop(block.path, "foreign");
  return [];
}
