import { opaquePartToText } from "../opaque-text.ts";
import type { FilePart, ImagePart, ToolResultPart } from "../neutral-request.ts";
import {
  encodeChatTextFilePart,
  warnAboutChatDroppedCitations,
  encodeChatPart,
  formatChatSearchResultPart,
} from "./encode-parts.ts";
import { toolErrorPrefix, type ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

type Content = ToolResultPart["content"][number];
type Attachment = ImagePart | FilePart;

/**
 * Results as `tool` messages, which hold text only: images and files follow in
 * one user message behind the last of them, so that no result is parted from its
 * calls.
 */
export function encodeChatToolResults(
  results: readonly ToolResultPart[],
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  const messages = results.map((result) => encodeResult(result, writing));
  const attached = results.flatMap((result) => attachmentsOf(result, writing));
  return attached.length === 0 ? messages : [...messages, { role: "user", content: attached }];
}

function encodeResult(result: ToolResultPart, writing: ChatRequestEncodingContext): ChatWireObject {
  const texts = result.content.flatMap((part) => textIn(part, writing));
  const words =
    texts.length === 0 && result.content.some(isAttachment) ? attachedBelow : texts.join("\n");
  if (result.isError) writing.warnings.approximate(`${result.path}.is_error`, "wrapped");
  const content = result.isError ? `${toolErrorPrefix}${words}` : words;
  return { role: "tool", tool_call_id: result.callId, content };
}

/** An empty result would say that the tool found nothing. */
const attachedBelow = "[see the attachment]";

function textIn(part: Content, writing: ChatRequestEncodingContext): readonly string[] {
  switch (part.type) {
    case "text":
      warnAboutChatDroppedCitations(part, writing);
      return [part.text];
    case "search-result":
      writing.warnings.approximate(part.path, "wrapped");
      return [formatChatSearchResultPart(part)];
    case "opaque":
      return [opaquePartToText(part, writing.warnings)];
    case "image":
      return [];
    case "file":
      return [encodeChatTextFilePart(part)].filter((text) => text !== undefined);
  }
}

function attachmentsOf(
  result: ToolResultPart,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  const attached = result.content.filter(isAttachment);
  if (attached.length === 0) return [];
  for (const { path } of attached) writing.warnings.approximate(path, "position");
  return [
    { type: "text", text: `attachment of ${result.callId}` },
    ...attached.flatMap((part) => encodeChatPart(part, writing)),
  ];
}

function isAttachment(part: Content): part is Attachment {
  return part.type === "image" || (part.type === "file" && part.source.kind !== "text");
}
