import { isMap, isScalar, Lexer, LineCounter, parseAllDocuments, visit, type Document } from "yaml";
import { asJsonObjectOrEmpty, isJsonObject, type JsonObject } from "../../platform/json-value.ts";
import { DependencyFileSyntaxError } from "../dependency-file.ts";

/** A YAML document whose scalars are all texts: `1.10` is no number. */
export interface YamlDocument {
  readonly value: JsonObject;
  /** Lines of the members of a mapping, by name. */
  readonly lines: (...path: readonly string[]) => ReadonlyMap<string, number>;
}

/** No lock file nests as deep; the library's own stack would end. */
const maxDepth = 200;

/**
 * Texts, marks and white space of the largest text that is parsed: some 8 MB of a lock file. The
 * library takes 300 to 500 bytes of memory for each, and ends the process where there is no more.
 */
const maxTokens = 2_000_000;

/** Parses the documents of a YAML text. Throws `DependencyFileSyntaxError`. */
export function parseYamlDocuments(text: string): YamlDocument[] {
  if (nestsTooDeep(text)) throw new DependencyFileSyntaxError("invalid_yaml: it nests too deep");
  assertTokens(text);
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
    if (error instanceof RangeError)
      throw new DependencyFileSyntaxError("invalid_yaml: it nests too deep");
    throw error;
  }
}

function readDocument(document: Document, lineCounter: LineCounter): YamlDocument {
  assertUniqueKeys(document, lineCounter);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    throw new DependencyFileSyntaxError(`invalid_yaml: ${error.code}`, line);
  }
  return {
    value: valueOf(document),
    lines: (...path) => memberLines(document, path, lineCounter),
  };
}

function valueOf(document: Document): JsonObject {
  if (hasAliases(document)) throw new DependencyFileSyntaxError("invalid_yaml: it has aliases");
  const value: unknown = document.toJS();
  // A document without content is an empty text.
  if (isJsonObject(value) || value === null || value === "") return asJsonObjectOrEmpty(value);
  throw new DependencyFileSyntaxError("invalid_yaml: it is not a mapping", 1);
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

/**
 * Rejects repeated keys: some programs take the first, some the last. The library compares
 * each key with all before it.
 */
function assertUniqueKeys(document: Document, lineCounter: LineCounter): void {
  visit(document, {
    Map: (_key, { items }) => {
      const known = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (known.has(name)) {
          const line = lineCounter.linePos(key.range?.[0] ?? 0).line;
          throw new DependencyFileSyntaxError("invalid_yaml: a key is there twice", line);
        }
        known.add(name);
      }
    },
  });
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

/** The lexer gives one token after the other: counting them takes little memory. */
function assertTokens(text: string): void {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > maxTokens) {
      throw new DependencyFileSyntaxError(
        `too_large: it has more than ${maxTokens.toString()} tokens of YAML, about 8 MB of a lock file`,
      );
    }
  }
}

/** By what is indented, and by what is opened and not closed, brackets in texts included. */
function nestsTooDeep(text: string): boolean {
  if (/^[ ?-]{400}/m.test(text)) return true;
  let depth = 0;
  for (const { 0: bracket } of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
    if (depth > maxDepth) return true;
  }
  return false;
}
