import { MIMEType } from "node:util";
import { looksLikeIdentifier } from "../name/looks-like-name.ts";

/** What a media type says of a body. */
export interface HttpBodyFormat {
  /** As the document names it: without parameters, and without a subtype that is no name. */
  readonly name: string;
  /** What can be read of such a body; `other`: nothing. */
  readonly kind: "json" | "form" | "multipart" | "other";
  /** Of a multipart body; empty: none. */
  readonly boundary: string;
}

const registeredTypes = /^(?:application|audio|font|image|message|model|multipart|text|video)$/;

/** Reads the media type of a body; undefined for none, or one that no standard has. */
export function parseMediaType(text: string): HttpBodyFormat | undefined {
  try {
    const { type, subtype, params } = new MIMEType(text);
    if (!registeredTypes.test(type)) return undefined;
    const kind = kindOf(type, subtype);
    return { name: nameOf(type, subtype, kind), kind, boundary: params.get("boundary") ?? "" };
  } catch {
    return undefined;
  }
}

function kindOf(type: string, subtype: string): HttpBodyFormat["kind"] {
  if (subtype === "json" || subtype.endsWith("+json")) return "json";
  const essence = `${type}/${subtype}`;
  if (essence === "application/x-www-form-urlencoded") return "form";
  return essence === "multipart/form-data" ? "multipart" : "other";
}

/** A media type of JSON names an interface, any other is told only if it is a well-known one. */
function nameOf(type: string, subtype: string, kind: HttpBodyFormat["kind"]): string {
  const essence = `${type}/${subtype}`;
  if (kind === "json") return isInterfaceName(subtype) ? essence : "application/json";
  return kind !== "other" || wellKnown.has(essence) ? essence : `${type}/*`;
}

function isInterfaceName(subtype: string): boolean {
  return subtype.length <= 60 && subtype.split(/[.+-]/).every(isSubtypePart);
}

function isSubtypePart(part: string): boolean {
  return /^\d{0,2}$/.test(part) || looksLikeIdentifier(part);
}

const wellKnown = new Set(
  (
    "application/atom+xml application/graphql application/grpc application/gzip application/javascript " +
    "application/msgpack application/octet-stream application/pdf application/protobuf application/rss+xml " +
    "application/soap+xml application/wasm application/x-ndjson application/x-protobuf application/x-yaml " +
    "application/xhtml+xml application/xml application/yaml application/zip audio/aac audio/mpeg audio/ogg " +
    "audio/wav audio/webm font/otf font/ttf font/woff font/woff2 image/avif image/bmp image/gif image/jpeg " +
    "image/png image/svg+xml image/tiff image/vnd.microsoft.icon image/webp image/x-icon multipart/mixed " +
    "text/calendar text/css text/csv text/event-stream text/html text/javascript text/markdown text/plain " +
    "text/xml text/yaml video/mp4 video/ogg video/webm"
  ).split(" "),
);
