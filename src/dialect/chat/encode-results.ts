import { wordsOf } from "../opaque-words.ts";
import type { FilePart, ImagePart, ToolResultPart } from "../turn.ts";
import { documentText, dropCitations, encodePart, searchText } from "./encode-parts.ts";
import { errorMark, type WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

type Content = ToolResultPart["content"][number];
type Attachment = ImagePart | FilePart;

/**
 * Results as `tool` messages, which hold text only: images and files follow in
 * one user message behind the last of them, so that no result is parted from its
 * calls.
 */
export function encodeResults(
  results: readonly ToolResultPart[],
  writing: Writing,
): readonly WireObject[] {
  const messages = results.map((result) => encodeResult(result, writing));
  const attached = results.flatMap((result) => attachmentsOf(result, writing));
  return attached.length === 0 ? messages : [...messages, { role: "user", content: attached }];
}

function encodeResult(result: ToolResultPart, writing: Writing): WireObject {
  const texts = result.content.flatMap((part) => textIn(part, writing));
  const words =
    texts.length === 0 && result.content.some(isAttachment) ? attachedBelow : texts.join("\n");
  if (result.isError) writing.ledger.approximate(`${result.path}.is_error`, "wrapped");
  const content = result.isError ? `${errorMark}${words}` : words;
  return { role: "tool", tool_call_id: result.callId, content };
}

/** An empty result would say that the tool found nothing. */
const attachedBelow = "[see the attachment]";

function textIn(part: Content, writing: Writing): readonly string[] {
  switch (part.type) {
    case "text":
      dropCitations(part, writing);
      return [part.text];
    case "search-result":
      writing.ledger.approximate(part.path, "wrapped");
      return [searchText(part)];
    case "opaque":
      return [wordsOf(part, writing.ledger)];
    case "image":
      return [];
    case "file":
      return [documentText(part)].filter((text) => text !== undefined);
  }
}

function attachmentsOf(result: ToolResultPart, writing: Writing): readonly WireObject[] {
  const attached = result.content.filter(isAttachment);
  if (attached.length === 0) return [];
  for (const { path } of attached) writing.ledger.approximate(path, "position");
  return [
    { type: "text", text: `attachment of ${result.callId}` },
    ...attached.flatMap((part) => encodePart(part, writing)),
  ];
}

function isAttachment(part: Content): part is Attachment {
  return part.type === "image" || (part.type === "file" && part.source.kind !== "text");
}
