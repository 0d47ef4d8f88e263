import { isMap, isScalar, LineCounter, parseAllDocuments, type Document } from "yaml";
import { asRecord, type JsonObject } from "../../platform/json-value.ts";
import { UnreadableText } from "../dependency-file.ts";

/** A YAML document whose scalars are all texts: `1.10` is no number. */
export interface YamlDocument {
  readonly value: JsonObject;
  /** Lines of the members of a mapping, by name. */
  lines(...path: readonly string[]): ReadonlyMap<string, number>;
}

/** No lock file nests as deep; the library's own stack would end. */
const deepest = 200;
/** An alias may stand for a large part of a document, which its value would hold once more. */
const mostAliases = 100;

/** Parses the documents of a YAML text. Throws `UnreadableText`. */
export function yamlDocuments(text: string): YamlDocument[] {
  if (nestsTooDeep(text)) throw new UnreadableText("invalid_yaml: it nests too deep");
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter,
    prettyErrors: false,
    schema: "failsafe",
    uniqueKeys: false,
  });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => readDocument(document, lineCounter));
}

function readDocument(document: Document, lineCounter: LineCounter): YamlDocument {
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new UnreadableText(`invalid_yaml: ${error.code}`, line);
  }
  return {
    value: valueOf(document),
    lines: (...path) => memberLines(document, path, lineCounter),
  };
}

function valueOf(document: Document): JsonObject {
  try {
    return asRecord(document.toJS({ maxAliasCount: mostAliases }));
  } catch {
    throw new UnreadableText("invalid_yaml: its aliases stand for too much");
  }
}

function memberLines(
  document: Document,
  path: readonly string[],
  lineCounter: LineCounter,
): ReadonlyMap<string, number> {
  const mapping = path.length === 0 ? document.contents : document.getIn(path, true);
  const lines = new Map<string, number>();
  for (const { key } of isMap(mapping) ? mapping.items : []) {
    if (!isScalar(key) || key.range === undefined || key.range === null) continue;
    lines.set(String(key.value), lineCounter.linePos(key.range[0]).line);
  }
  return lines;
}

/** By what is indented, and by what is opened and not closed, brackets in texts included. */
function nestsTooDeep(text: string): boolean {
  if (new RegExp(`^[ -]{${(deepest * 2).toString()}}`, "m").test(text)) return true;
  let depth = 0;
  for (const { 0: bracket } of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
    if (depth > deepest) return true;
  }
  return false;
}
