import type { FilePart, ImagePart, MediaSource, SearchResultPart } from "../neutral-request.ts";
import { supportedMessagesImageTypes, type MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** An image: the four types that the vendor reads, or an https address. */
export function encodeMessagesImage(
  writing: MessagesRequestEncodingContext,
  part: ImagePart,
): MessagesWireObject {
  const path = part.sourcePath ?? part.path;
  if (part.detail !== undefined && part.detail !== "auto") {
    writing.warnings.drop(siblingPath(path, part.path, "detail"), "unsupported");
  }
  const { source } = part;
  if (source.kind === "data" && !supportedMessagesImageTypes.has(source.mediaType)) {
    writing.warnings.reject(
      path,
      `Images of type \`${source.mediaType}\` are not taken by this upstream. Send JPEG, PNG, GIF or WebP.`,
    );
  }
  return { type: "image", source: encodeSource(writing, source, path) };
}

/** A file: PDF and plain text are what documents of this dialect hold. */
export function encodeMessagesFile(
  writing: MessagesRequestEncodingContext,
  part: FilePart,
): MessagesWireObject {
  return {
    type: "document",
    source: encodeDocument(writing, part),
    ...(part.name === undefined ? {} : { title: part.name }),
    ...(part.context === undefined ? {} : { context: part.context }),
    ...(part.citationsEnabled === undefined
      ? {}
      : { citations: { enabled: part.citationsEnabled } }),
  };
}

/** A search result as it came. */
export function encodeMessagesSearchResultPart({
  source,
  title,
  texts,
}: SearchResultPart): MessagesWireObject {
  return {
    type: "search_result",
    source,
    title,
    content: texts.map((text) => ({ type: "text", text })),
  };
}

function encodeDocument(
  writing: MessagesRequestEncodingContext,
  part: FilePart,
): MessagesWireObject {
  const { source } = part;
  const path = part.sourcePath ?? part.path;
  if (source.kind === "text") return textSource(source.text);
  if (source.kind !== "data") return encodeSource(writing, source, path);
  const mediaType = source.mediaType.split(";")[0]?.trim().toLowerCase();
  if (mediaType === "application/pdf") return encodeSource(writing, source, path);
  if (mediaType === "text/plain") {
    return textSource(Buffer.from(source.base64, "base64").toString("utf8"));
  }
  return writing.warnings.reject(
    path,
    `Files of type \`${source.mediaType}\` are not taken by this upstream. Send PDF or plain text.`,
  );
}

function textSource(data: string): MessagesWireObject {
  return { type: "text", media_type: "text/plain", data };
}

function encodeSource(
  { request: turn, warnings: ledger }: MessagesRequestEncodingContext,
  source: MediaSource,
  path: string,
): MessagesWireObject {
  switch (source.kind) {
    case "data":
      return { type: "base64", media_type: source.mediaType, data: source.base64 };
    case "url":
      if (source.url.startsWith("https://") || turn.origin === "dialect_messages") {
        return { type: "url", url: source.url };
      }
      return ledger.reject(path, "This upstream fetches addresses of `https` only.");
    case "file":
      if (turn.origin === "dialect_messages") return { type: "file", file_id: source.id };
      return ledger.reject(
        path,
        "The file lies with another vendor. Send its content in place of its id.",
      );
  }
}

/** A member beside the source: `….image_url.url` and `….image_url.detail`. */
function siblingPath(source: string, part: string, name: string): string {
  return source.startsWith(`${part}.`)
    ? `${source.slice(0, source.lastIndexOf("."))}.${name}`
    : `${part}.${name}`;
}
