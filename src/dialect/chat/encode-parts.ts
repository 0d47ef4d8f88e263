import { withoutUndefined } from "../json.ts";
import { opaquePartToText } from "../opaque-text.ts";
import type {
  FilePart,
  ImagePart,
  OpaquePart,
  SearchResultPart,
  TextPart,
} from "../neutral-request.ts";
import { formatChatDataUrl } from "./data-url.ts";
import { buildChatCacheBreakpointMember } from "./encode-breakpoints.ts";
import type { ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";
import { appendAll } from "../../platform/append-all.ts";

export type ChatUserPart = TextPart | ImagePart | FilePart | SearchResultPart | OpaquePart;

/** Parts of a user's message; one text alone is a string, which every server takes. */
export function encodeChatContent(
  parts: readonly ChatUserPart[],
  writing: ChatRequestEncodingContext,
): unknown {
  const written: ChatWireObject[] = [];
  for (const part of parts) appendAll(written, encodeChatPart(part, writing));
  const [first] = written;
  const isPlain = written.length === 1 && first !== undefined && isOnlyText(first);
  return isPlain ? first["text"] : written;
}

export function encodeChatPart(
  part: ChatUserPart,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  switch (part.type) {
    case "text":
      return [encodeChatTextPart(part, writing)];
    case "image":
      return [encodeImage(part, writing)];
    case "file":
      return encodeFile(part, writing);
    case "search-result":
      writing.warnings.approximate(part.path, "wrapped");
      return [{ type: "text", text: formatChatSearchResultPart(part) }];
    case "opaque":
      return [encodeOpaque(part, writing)];
  }
}

export function encodeChatTextPart(
  part: TextPart,
  writing: ChatRequestEncodingContext,
): ChatWireObject {
  warnAboutChatDroppedCitations(part, writing);
  const said = { type: "text", text: part.text };
  return part.cache === undefined
    ? said
    : { ...said, ...buildChatCacheBreakpointMember(part.cache, writing) };
}

/** Citations of an answer that is sent again: chat has them in answers only. */
export function warnAboutChatDroppedCitations(
  { path, citations }: TextPart,
  { warnings: ledger, request: turn }: ChatRequestEncodingContext,
): void {
  if (citations === undefined || citations.length === 0) return;
  const field = turn.origin === "dialect_responses" ? "annotations" : "citations";
  ledger.drop(`${path}.${field}`, "unsupported");
}

/** Title, where it comes from, and what it says. */
export function formatChatSearchResultPart({ title, source, texts }: SearchResultPart): string {
  return [title, source, ...texts].filter((line) => line !== "").join("\n");
}

/** A document of plain text, its title first; undefined for other files. */
export function encodeChatTextFilePart({ source, name, context }: FilePart): string | undefined {
  if (source.kind !== "text") return undefined;
  return [name, context, source.text].filter(Boolean).join("\n");
}

function isOnlyText(part: ChatWireObject): boolean {
  return part["type"] === "text" && Object.keys(part).length === 2;
}

function encodeImage(part: ImagePart, writing: ChatRequestEncodingContext): ChatWireObject {
  const { source, detail } = part;
  const path = part.sourcePath ?? part.path;
  if (source.kind === "file") {
    return writing.warnings.reject(
      path,
      "This upstream does not hold that file. Send the image itself.",
    );
  }
  const url = source.kind === "url" ? source.url : formatChatDataUrl(source);
  const image = withoutUndefined({ url, detail });
  return {
    type: "image_url",
    image_url: image,
    ...buildChatCacheBreakpointMember(part.cache, writing),
  };
}

function encodeFile(
  part: FilePart,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  if (part.citationsEnabled === true)
    writing.warnings.drop(`${part.path}.citations`, "unsupported");
  const cache = buildChatCacheBreakpointMember(part.cache, writing);
  const text = encodeChatTextFilePart(part);
  if (text !== undefined) return [{ type: "text", text, ...cache }];
  const context: ChatWireObject[] = part.context ? [{ type: "text", text: part.context }] : [];
  return [...context, { type: "file", file: fileOf(part, writing), ...cache }];
}

function fileOf(
  part: FilePart,
  { warnings: ledger, request: turn }: ChatRequestEncodingContext,
): ChatWireObject {
  const { source } = part;
  const path = part.sourcePath ?? part.path;
  if (source.kind === "data") {
    return { filename: part.name ?? "document.pdf", file_data: formatChatDataUrl(source) };
  }
  if (source.kind === "file" && turn.origin === "dialect_chat") return { file_id: source.id };
  return ledger.reject(
    path,
    "This upstream takes a file's data only, and nothing is fetched for it.",
  );
}

function encodeOpaque(
  part: OpaquePart,
  { warnings: ledger }: ChatRequestEncodingContext,
): ChatWireObject {
  return part.dialect === "dialect_chat"
    ? part.raw
    : { type: "text", text: opaquePartToText(part, ledger) };
}
