import { invalidRequestError } from "../../platform/errors.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type {
  FilePart,
  ImagePart,
  MediaSource,
  SearchResultPart,
  TextPart,
  InlineTextSource,
} from "../neutral-request.ts";
import { decodeMessagesCacheControl } from "./decode-cache.ts";

/** An image; `transformations` are advice that no other dialect has. */
export function decodeMessagesImage(
  block: RequestFieldReader,
  { warnings: ledger }: RequestDecodingContext,
): ImagePart {
  if (block.has("transformations")) ledger.drop(block.pathOf("transformations"), "unsupported");
  const source = sourceOf(block);
  return {
    type: "image",
    path: block.path,
    cache: decodeMessagesCacheControl(block),
    source: decodeMedia(source),
    sourcePath: mediaPath(source),
  };
}

/** A document: one file, or the texts and images that it was given as. */
export function decodeMessagesDocument(
  block: RequestFieldReader,
  context: RequestDecodingContext,
): readonly (FilePart | TextPart | ImagePart)[] {
  const source = sourceOf(block);
  if (source.requiredString("type") === "content") return decodeWritten(block, source, context);
  return [
    {
      ...fileOf(block),
      source: decodeFileSource(source),
      sourcePath: mediaPath(source),
    },
  ];
}

/** A search result, its texts in order. */
export function decodeMessagesSearchResultBlock(block: RequestFieldReader): SearchResultPart {
  return {
    type: "search-result",
    path: block.path,
    cache: decodeMessagesCacheControl(block),
    source: block.requiredString("source"),
    title: block.requiredString("title"),
    texts: block.objects("content").map((text) => text.requiredString("text")),
  };
}

function sourceOf(block: RequestFieldReader): RequestFieldReader {
  return block.object("source") ?? rejectMissingField(block.pathOf("source"));
}

function fileOf(block: RequestFieldReader): Omit<FilePart, "source"> {
  return {
    type: "file",
    path: block.path,
    cache: decodeMessagesCacheControl(block),
    name: block.string("title"),
    context: block.string("context"),
    citationsEnabled: block.object("citations")?.boolean("enabled"),
  };
}

function decodeFileSource(source: RequestFieldReader): MediaSource | InlineTextSource {
  return source.requiredString("type") === "text"
    ? { kind: "text", text: source.requiredString("data") }
    : decodeMedia(source);
}

function decodeMedia(source: RequestFieldReader): MediaSource {
  switch (source.requiredString("type")) {
    case "base64":
      return {
        kind: "data",
        mediaType: source.requiredString("media_type"),
        base64: source.requiredString("data"),
      };
    case "url":
      return { kind: "url", url: source.requiredString("url") };
    case "file":
      return { kind: "file", id: source.requiredString("file_id") };
    default:
      throw invalidRequestError(source.pathOf("type"), "A source of this type is not known.");
  }
}

const memberOfType = recordToMap<string>({ url: "url", file: "file_id" });

function mediaPath(source: RequestFieldReader): string {
  return source.pathOf(memberOfType.get(source.requiredString("type")) ?? "data");
}

/** A document of blocks: one text where it is only text, else its blocks one by one. */
function decodeWritten(
  block: RequestFieldReader,
  source: RequestFieldReader,
  context: RequestDecodingContext,
): readonly (FilePart | TextPart | ImagePart)[] {
  const parts = writtenParts(source, context);
  const texts = parts.filter((part) => part.type === "text");
  if (texts.length < parts.length) {
    context.warnings.approximate(block.path, "wrapped");
    return parts;
  }
  const text = texts.map((part) => part.text).join("\n\n");
  return [{ ...fileOf(block), source: { kind: "text", text }, sourcePath: source.path }];
}

function writtenParts(
  source: RequestFieldReader,
  context: RequestDecodingContext,
): readonly (TextPart | ImagePart)[] {
  const { content } = source.value;
  if (typeof content === "string") {
    return [{ type: "text", path: source.pathOf("content"), text: content }];
  }
  return source
    .objects("content")
    .map((part) =>
      part.requiredString("type") === "image"
        ? decodeMessagesImage(part, context)
        : { type: "text", path: part.path, text: part.requiredString("text") },
    );
}
