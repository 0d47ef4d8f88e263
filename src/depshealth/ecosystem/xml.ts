import { XMLParser } from "fast-xml-parser";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import { xmlTextOnlyOptions } from "../../manifest/document/xml-document.ts";
import { asJsonObjectOrEmpty, type JsonObject } from "../../platform/json-value.ts";

const parser = new XMLParser(xmlTextOnlyOptions);

/** The root element of an XML document. Throws a `DocumentError`; one that breaks off has no end of its root. */
export function parseXmlRootElement(text: string, root: string): JsonObject {
  if (!text.includes(`<${root}`)) throw new DataSourceDocumentError("unreadable");
  if (!text.includes(`</${root}>`)) throw new DataSourceDocumentError("broken off");
  try {
    return asJsonObjectOrEmpty(asJsonObjectOrEmpty(parser.parse(text))[root]);
  } catch {
    throw new DataSourceDocumentError("unreadable");
  }
}

/** Text of an element without markup; undefined when it is empty, has children or is a placeholder. */
export function readXmlElementText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : asJsonObjectOrEmpty(value)["#text"];
  if (typeof text !== "string" || text.trim() === "" || text.includes("${")) return undefined;
  return text
    .trim()
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
