import { XMLParser, XMLValidator, type X2jOptions } from "fast-xml-parser";
import { asRecord, type JsonObject } from "../../platform/json-value.ts";
import { UnreadableText } from "../dependency-file.ts";
import { lineIndex, type LineAt } from "./line-index.ts";

/** An XML document: attributes begin with `@`, an element that may be repeated is read with `elements`. */
export interface XmlDocument {
  readonly root: JsonObject;
  /** Line of an element that has children or attributes. */
  readonly lineOf: (element: JsonObject) => number | undefined;
}

/**
 * Texts stay texts (`1.10` is no number), and no entity is expanded: one may stand for any
 * number of others.
 */
export const textsOnly: X2jOptions = {
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  removeNSPrefix: true,
};

const parser = new XMLParser({ ...textsOnly, captureMetaData: true });

const deepest = 200;

/** Parses an XML document with a certain root. Throws `UnreadableText`. */
export function xmlDocument(text: string, root: string): XmlDocument {
  if (nestsTooDeep(text)) throw new UnreadableText("invalid_xml: it nests too deep");
  const valid = XMLValidator.validate(text);
  if (valid !== true) {
    throw new UnreadableText(`invalid_xml: ${valid.err.code}`, valid.err.line);
  }
  const parsed = asRecord(parser.parse(text));
  if (!Object.hasOwn(parsed, root)) throw new UnreadableText(`invalid_xml: it has no <${root}>`);
  const lineAt = lineIndex(text);
  return { root: asRecord(parsed[root]), lineOf: (element) => lineOfElement(element, lineAt) };
}

function lineOfElement(element: JsonObject, lineAt: LineAt): number | undefined {
  const symbol = XMLParser.getMetaDataSymbol() as symbol;
  const start: unknown = asRecord(Reflect.get(element, symbol))["startIndex"];
  return typeof start === "number" ? lineAt(start) : undefined;
}

/** The elements of a name below another, each as a record; texts as `{"#text": …}`. */
export function elements(parent: unknown, name: string): readonly JsonObject[] {
  const value = asRecord(parent)[name];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((item) => item !== undefined && item !== "")
    .map((item) => (typeof item === "string" ? { "#text": item } : asRecord(item)));
}

/** The text of an element, or of an attribute (`@Name`); undefined: it has none. */
export function elementText(parent: unknown, name: string): string | undefined {
  const value = asRecord(parent)[name];
  const text = typeof value === "object" ? asRecord(value)["#text"] : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (const { 0: tag } of text.matchAll(/<\/|\/>|<(?=[A-Za-z_])/g)) {
    depth = Math.max(0, depth + (tag === "<" ? 1 : -1));
    if (depth > deepest) return true;
  }
  return false;
}
