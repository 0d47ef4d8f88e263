import { isMap, isScalar, LineCounter, parseAllDocuments, visit, type Document } from "yaml";
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

/** Parses the documents of a YAML text. Throws `UnreadableText`. */
export function yamlDocuments(text: string): YamlDocument[] {
  if (nestsTooDeep(text)) throw new UnreadableText("invalid_yaml: it nests too deep");
  const lineCounter = new LineCounter();
  return documentsIn(text, lineCounter).map((document) => readDocument(document, lineCounter));
}

function documentsIn(text: string, lineCounter: LineCounter): readonly Document[] {
  try {
    const documents = parseAllDocuments(text, {
      lineCounter,
      prettyErrors: false,
      logLevel: "error",
      schema: "failsafe",
      uniqueKeys: false,
    });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableText("invalid_yaml: it nests too deep");
    throw error;
  }
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
  if (hasAliases(document)) throw new UnreadableText("invalid_yaml: it has aliases");
  return asRecord(document.toJS());
}

/**
 * No tool writes aliases into a lock file. One may stand for a large part of a
 * document, and the library takes quadratic time for many of them.
 */
function hasAliases(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
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
  if (/^[ ?-]{400}/m.test(text)) return true;
  let depth = 0;
  for (const { 0: bracket } of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
    if (depth > deepest) return true;
  }
  return false;
}
