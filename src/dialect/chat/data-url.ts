import { invalidRequestError } from "../../platform/errors.ts";
import { readDataUrlHead } from "../data-url-head.ts";
import type { FilePart, MediaSource } from "../neutral-request.ts";

/** A data URL as its bytes, any other as the address it is. Throws 400 unless the data are base64. */
export function parseChatMediaUrl(url: string, path: string): MediaSource {
  const head = readDataUrlHead(url);
  if (head === undefined) return { kind: "url", url };
  if (!head.isBase64) {
    throw invalidRequestError(path, `\`${path}\` must be base64: \`data:<media type>;base64,…\`.`);
  }
  const mediaType = defaultMediaType(head.mediaType);
  return { kind: "data", mediaType, base64: url.slice(head.length) };
}

/** `image/jpg` is no media type, but many write it. */
function defaultMediaType(type: string): string {
  return type === "image/jpg" ? "image/jpeg" : type;
}

/** `file_data`: a data URL, or bare base64 whose type only the file's name tells. */
export function parseChatFileData(
  data: string,
  name: string | undefined,
  path: string,
): FilePart["source"] {
  const source = parseChatMediaUrl(data, path);
  const media: MediaSource =
    source.kind === "url" ? { kind: "data", mediaType: typeOfName(name), base64: data } : source;
  if (media.kind !== "data" || media.mediaType !== "text/plain") return media;
  return { kind: "text", text: Buffer.from(media.base64, "base64").toString("utf8") };
}

export function formatChatDataUrl({
  mediaType,
  base64,
}: Extract<MediaSource, { kind: "data" }>): string {
  return `data:${mediaType};base64,${base64}`;
}

/** The vendor took PDF files before all others. */
function typeOfName(name: string | undefined): string {
  return name !== undefined && /\.(txt|md|text)$/i.test(name) ? "text/plain" : "application/pdf";
}
