import { XMLParser } from "fast-xml-parser";
import { DocumentError } from "../fetch/document-error.ts";
import { textOnlyOptions } from "../../manifest/document/xml-document.ts";
import { asRecord, type JsonObject } from "../../platform/json-value.ts";

const parser = new XMLParser(textOnlyOptions);

/** The root element of an XML document. Throws a `DocumentError`; one that breaks off has no end of its root. */
export function xmlRoot(text: string, root: string): JsonObject {
  if (!text.includes(`<${root}`)) throw new DocumentError("unreadable");
  if (!text.includes(`</${root}>`)) throw new DocumentError("broken off");
  try {
    return asRecord(asRecord(parser.parse(text))[root]);
  } catch {
    throw new DocumentError("unreadable");
  }
}

/** Text of an element without markup; undefined when it is empty, has children or is a placeholder. */
export function xmlText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : asRecord(value)["#text"];
  if (typeof text !== "string" || text.trim() === "" || text.includes("${")) return undefined;
  return text
    .trim()
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
