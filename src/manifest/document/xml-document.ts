import { XMLParser, XMLValidator, type X2jOptions } from "fast-xml-parser";
import { asJsonObjectOrEmpty, type JsonObject } from "../../platform/json-value.ts";
import { DependencyFileSyntaxError } from "../dependency-file.ts";
import { createOffsetLineLookup, type OffsetLineLookup } from "./line-index.ts";

/** An XML document: attributes begin with `@`, an element that may be repeated is read with `elements`. */
export interface XmlDocument {
  readonly root: JsonObject;
  /** Line of an element that has children or attributes. */
  readonly lineOf: (element: JsonObject) => number | undefined;
}

/**
 * Texts stay texts (`1.10` is no number), and the parser expands no entity: one may stand for any
 * number of others. `readXmlElementOrAttributeText` reads those that stand for one character.
 */
export const xmlTextOnlyOptions: X2jOptions = {
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  removeNSPrefix: true,
};

const parser = new XMLParser({ ...xmlTextOnlyOptions, captureMetaData: true });
const lowerCaseParser = new XMLParser({
  ...xmlTextOnlyOptions,
  captureMetaData: true,
  transformTagName: (name) => name.toLowerCase(),
  transformAttributeName: (name) => name.toLowerCase(),
});

const maxDepth = 200;

/** Parses an XML document with a certain root. Throws `DependencyFileSyntaxError`. */
export function parseXml(text: string, root: string): XmlDocument {
  return parseWith(parser, text, root);
}

/** Parses an XML document whose names have no case: all of them are read in lower case. Throws `DependencyFileSyntaxError`. */
export function parseXmlIgnoringCase(text: string, root: string): XmlDocument {
  return parseWith(lowerCaseParser, text, root);
}

/** Encodings in which all characters of ASCII, and so all marks of XML, are the same bytes as in UTF-8. */
const plainEncoding =
  /^(?:utf-?8|us-ascii|ascii|iso-?8859-\d{1,2}|latin-?\d|windows-125\d|cp125\d)$/i;

/** Longest declaration that is looked at. */
const maxDeclaration = 4096;

/** Another encoding may make a comment of what is code in this one. */
function assertEncoding(text: string): void {
  const start = text.slice(0, maxDeclaration);
  if (!/^\s*<\?xml\b/i.test(start)) return;
  const end = start.indexOf("?>");
  const declared = start
    .slice(0, end === -1 ? undefined : end)
    .matchAll(/\bencoding\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gi);
  const encodings = [...declared].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
  if (end !== -1 && encodings.every((each) => plainEncoding.test(each.trim()))) return;
  throw new DependencyFileSyntaxError("encoding: the declared encoding is not read", 1);
}

function parseWith(reader: XMLParser, text: string, root: string): XmlDocument {
  assertEncoding(text);
  if (nestsTooDeep(text)) throw new DependencyFileSyntaxError("invalid_xml: it nests too deep");
  const valid = XMLValidator.validate(text);
  if (valid !== true) {
    throw new DependencyFileSyntaxError(`invalid_xml: ${valid.err.code}`, valid.err.line);
  }
  const parsed = asJsonObjectOrEmpty(parseValid(reader, text));
  if (!Object.hasOwn(parsed, root))
    throw new DependencyFileSyntaxError(`invalid_xml: it has no <${root}>`);
  const lineAt = createOffsetLineLookup(text);
  return {
    root: asJsonObjectOrEmpty(parsed[root]),
    lineOf: (element) => lineOfElement(element, lineAt),
  };
}

/** The parser refuses more document types than the validator, with plain errors. */
function parseValid(reader: XMLParser, text: string): unknown {
  try {
    return reader.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new DependencyFileSyntaxError("invalid_xml: its document type is not read");
  }
}

function lineOfElement(element: JsonObject, lineAt: OffsetLineLookup): number | undefined {
  const symbol = XMLParser.getMetaDataSymbol() as symbol;
  const start: unknown = asJsonObjectOrEmpty(Reflect.get(element, symbol))["startIndex"];
  return typeof start === "number" ? lineAt(start) : undefined;
}

/** The elements of a name below another, each as a record; texts as `{"#text": …}`. */
export function findXmlChildElements(parent: unknown, name: string): readonly JsonObject[] {
  const value = asJsonObjectOrEmpty(parent)[name];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((item) => item !== undefined && item !== "")
    .map((item) => (typeof item === "string" ? { "#text": item } : asJsonObjectOrEmpty(item)));
}

/** Returns the text of an element, or of an attribute (`@Name`); undefined if it has none. */
export function readXmlElementOrAttributeText(parent: unknown, name: string): string | undefined {
  const value = asJsonObjectOrEmpty(parent)[name];
  const text = typeof value === "object" ? asJsonObjectOrEmpty(value)["#text"] : value;
  return typeof text === "string" && text.trim() !== "" ? withCharacters(text.trim()) : undefined;
}

const namedCharacters: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["amp", "&"],
]);

/** Returns a text with the characters that `&#46;`, `&#x2e;` and the entities of XML itself stand for. */
function withCharacters(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#x([\da-f]{1,8})|#(\d{1,8})|([a-z]{2,4}));/gi,
    (whole, hexadecimal?: string, decimal?: string, name = "") => {
      const code = Number.parseInt(
        hexadecimal ?? decimal ?? "",
        hexadecimal === undefined ? 10 : 16,
      );
      if (Number.isNaN(code)) return namedCharacters.get(name) ?? whole;
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );
}

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (const { 0: tag } of text.matchAll(/<\/|\/>|<(?=[A-Za-z_])/g)) {
    depth = Math.max(0, depth + (tag === "<" ? 1 : -1));
    if (depth > maxDepth) return true;
  }
  return false;
}
