import { invalidRequestError } from "../../platform/errors.ts";
import { type RequestFieldReader, rejectMissingField } from "../body-reader.ts";
import { readDataUrlHead } from "../data-url-head.ts";
import { asArrayOrEmpty, asObject } from "../json.ts";
import type {
  CacheBreakpoint,
  FilePart,
  ImagePart,
  MediaSource,
  OpaquePart,
  RefusalPart,
  TextPart,
} from "../neutral-request.ts";

/** What may stand in the content of a message. */
export type ResponsesMessageContentPart =
  | TextPart
  | RefusalPart
  | ImagePart
  | FilePart
  | OpaquePart;

/** What may stand in the output of a call. */
export type ResponsesToolOutputContentPart = Exclude<ResponsesMessageContentPart, RefusalPart>;

/** The member `name` of an item: one text, or parts. */
export function decodeResponsesContent(
  item: RequestFieldReader,
  name: string,
): readonly ResponsesMessageContentPart[] {
  const value = item.value[name];
  if (typeof value === "string") return [{ type: "text", path: item.pathOf(name), text: value }];
  if (!Array.isArray(value)) throw badContent(item.pathOf(name), value);
  return item.objects(name).map(decodePart);
}

/** The output of a call: a refusal is its text here. */
export function decodeResponsesToolOutput(
  item: RequestFieldReader,
): readonly ResponsesToolOutputContentPart[] {
  return decodeResponsesContent(item, "output").map((part) =>
    part.type === "refusal" ? { type: "text", path: part.path, text: part.text } : part,
  );
}

function badContent(path: string, value: unknown): Error {
  return value === undefined || value === null
    ? rejectMissingField(path)
    : invalidRequestError(path, `\`${path}\` must be a string or an array of parts.`);
}

function decodePart(part: RequestFieldReader): ResponsesMessageContentPart {
  switch (part.requiredString("type")) {
    case "input_text":
    case "output_text":
    case "text":
      return decodeText(part);
    case "refusal":
      return { type: "refusal", path: part.path, text: part.requiredString("refusal") };
    case "input_image":
      return decodeImage(part);
    case "input_file":
      return decodeFile(part);
    default:
      return decodeOpaque(part);
  }
}

function decodeText(part: RequestFieldReader): TextPart {
  const citations = asArrayOrEmpty(part.value["annotations"]);
  const cited = citations.length === 0 ? {} : { citations };
  const text = part.requiredString("text");
  return { type: "text", path: part.path, cache: cacheOf(part), text, ...cited };
}

function decodeImage(part: RequestFieldReader): ImagePart {
  const name = part.has("image_url") ? "image_url" : "file_id";
  const value = part.requiredString(name);
  return {
    type: "image",
    path: part.path,
    cache: cacheOf(part),
    source: name === "image_url" ? mediaOf(value, part.pathOf(name)) : { kind: "file", id: value },
    sourcePath: part.pathOf(name),
    detail: part.string("detail"),
  };
}

function decodeFile(part: RequestFieldReader): FilePart {
  const name = part.string("filename");
  const member = ["file_data", "file_url", "file_id"].find((field) => part.has(field));
  if (member === undefined) throw rejectMissingField(part.pathOf("file_data"));
  return {
    type: "file",
    path: part.path,
    cache: cacheOf(part),
    source: fileSource(part, member, name),
    sourcePath: part.pathOf(member),
    name,
  };
}

function fileSource(
  part: RequestFieldReader,
  member: string,
  name: string | undefined,
): MediaSource {
  const value = part.requiredString(member);
  if (member === "file_id") return { kind: "file", id: value };
  const media = mediaOf(value, part.pathOf(member));
  if (member === "file_url" || media.kind === "data") return media;
  return { kind: "data", mediaType: typeOfName(name), base64: value };
}

/** A data URL is what it holds, everything else an address. Throws 400 for data that are not base64. */
function mediaOf(url: string, path: string): MediaSource {
  const head = readDataUrlHead(url);
  if (head === undefined) return { kind: "url", url };
  if (!head.isBase64) {
    throw invalidRequestError(path, `\`${path}\` must be base64: \`data:<media type>;base64,…\`.`);
  }
  return { kind: "data", mediaType: head.mediaType, base64: url.slice(head.length) };
}

/** Data without a type of their own are what their name says; the vendor took PDF files first. */
function typeOfName(name: string | undefined): string {
  return name !== undefined && /\.(txt|md|text)$/i.test(name) ? "text/plain" : "application/pdf";
}

function cacheOf(part: RequestFieldReader): CacheBreakpoint | undefined {
  const mark = asObject(part.value["prompt_cache_breakpoint"]);
  if (mark === undefined) return undefined;
  const ttl = typeof mark["ttl"] === "string" ? mark["ttl"] : undefined;
  return { path: part.pathOf("prompt_cache_breakpoint"), ttl };
}

/** Audio, and what is newer than this code. */
function decodeOpaque(part: RequestFieldReader): OpaquePart {
  return {
    type: "opaque",
    path: part.pathOf("type"),
    dialect: "dialect_responses",
    name: part.requiredString("type"),
    raw: part.value,
  };
}
