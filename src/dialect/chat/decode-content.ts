import { invalidRequestError } from "../../platform/errors.ts";
import { RequestFieldReader } from "../body-reader.ts";
import type {
  CacheBreakpoint,
  FilePart,
  ImagePart,
  OpaquePart,
  TextPart,
} from "../neutral-request.ts";
import { parseChatMediaUrl, parseChatFileData } from "./data-url.ts";
import { decodeChatCacheBreakpoint } from "./decode-breakpoint.ts";
import { supportedChatImageTypes } from "./wire.ts";

/** A part of a user's message or of a result. */
export type ChatMessageContentPart = TextPart | ImagePart | FilePart | OpaquePart;

/** `content` as parts; a missing one and an empty text are none. */
export function decodeChatContent(item: RequestFieldReader): readonly ChatMessageContentPart[] {
  const { content } = item.value;
  if (typeof content === "string") return stringToTextParts(item, content);
  const parts = item.objects("content").map(decodePart);
  return withMessageBreakpoint(parts, item);
}

/** The same where only text may stand. */
export function decodeChatTextOnlyContent(item: RequestFieldReader): readonly TextPart[] {
  return decodeChatContent(item).map((part) => {
    if (part.type === "text") return part;
    throw invalidRequestError(`${part.path}.type`, `\`${part.path}\` must be a text here.`);
  });
}

export function stringToTextParts(item: RequestFieldReader, text: string): readonly TextPart[] {
  if (text === "") return [];
  return [
    { type: "text", path: item.pathOf("content"), cache: decodeChatCacheBreakpoint(item), text },
  ];
}

/** Some callers mark the message instead of its last part. */
function withMessageBreakpoint(
  parts: readonly ChatMessageContentPart[],
  item: RequestFieldReader,
): readonly ChatMessageContentPart[] {
  const cache = decodeChatCacheBreakpoint(item);
  const last = parts.at(-1);
  if (cache === undefined || last === undefined || last.cache !== undefined) return parts;
  return [...parts.slice(0, -1), { ...last, cache }];
}

function decodePart(part: RequestFieldReader): ChatMessageContentPart {
  const path = part.path;
  const cache = decodeChatCacheBreakpoint(part);
  const type = part.requiredString("type");
  switch (type) {
    case "text":
      return { type: "text", path, cache, text: part.string("text") ?? "" };
    case "image_url":
      return decodeImage(part, cache);
    case "file":
      return decodeFile(part, cache);
    case "input_audio":
      throw invalidRequestError(
        `${path}.type`,
        `\`${path}\` is audio, which this upstream does not take.`,
      );
    default:
      return { type: "opaque", path, cache, dialect: "dialect_chat", name: type, raw: part.value };
  }
}

function decodeImage(part: RequestFieldReader, cache: CacheBreakpoint | undefined): ImagePart {
  const image = imageObject(part);
  const sourcePath = image.pathOf("url");
  const source = parseChatMediaUrl(image.requiredString("url"), sourcePath);
  if (source.kind === "data" && !supportedChatImageTypes.has(source.mediaType)) {
    throw invalidRequestError(
      sourcePath,
      "An image must be image/jpeg, image/png, image/gif or image/webp.",
    );
  }
  const detail = image.string("detail");
  return { type: "image", path: part.path, cache, source, detail, sourcePath };
}

/** The address alone is no object, but common. */
function imageObject(part: RequestFieldReader): RequestFieldReader {
  const url = part.value["image_url"];
  if (typeof url === "string") return new RequestFieldReader({ url }, part.pathOf("image_url"));
  return RequestFieldReader.member(url, part.pathOf("image_url"));
}

function decodeFile(part: RequestFieldReader, cache: CacheBreakpoint | undefined): FilePart {
  const file = RequestFieldReader.member(part.value["file"], part.pathOf("file"));
  const name = file.string("filename");
  const id = file.string("file_id");
  const shared = { type: "file", path: part.path, cache, name } as const;
  if (id !== undefined) {
    return { ...shared, source: { kind: "file", id }, sourcePath: file.pathOf("file_id") };
  }
  const sourcePath = file.pathOf("file_data");
  const source = parseChatFileData(file.requiredString("file_data"), name, sourcePath);
  return { ...shared, source, sourcePath };
}
