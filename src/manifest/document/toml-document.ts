import { parse, TomlError } from "smol-toml";
import { asJsonObjectOrEmpty, isJsonObject, type JsonObject } from "../../platform/json-value.ts";
import { DependencyFileSyntaxError } from "../dependency-file.ts";
import { isValueNestedTooDeeply } from "./nesting.ts";

/** Parses TOML. Throws `DependencyFileSyntaxError`. */
export function parseToml(text: string): JsonObject {
  const value = parsed(text);
  // The library bounds brackets, and not the names of a dotted key.
  if (isValueNestedTooDeeply(value))
    throw new DependencyFileSyntaxError("invalid_toml: it nests too deep");
  return asJsonObjectOrEmpty(value);
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const line = error instanceof TomlError ? error.line : undefined;
    // The library's message quotes the text.
    throw new DependencyFileSyntaxError("invalid_toml: the text breaks its grammar", line);
  }
}

/**
 * Lines of the tables of an array, `[[package]]` for instance, in their order;
 * none where their number is not `count`, because a text may look like one.
 */
export function findTomlTableLines(text: string, name: string, count: number): readonly number[] {
  const header = `[[${name}]]`;
  const lines = text
    .split("\n")
    .flatMap((line, index) => (line.trim() === header ? [index + 1] : []));
  return lines.length === count ? lines : [];
}

/** Finds the first line on which a key is given a value, or a table of its name begins. */
export function createTomlKeyLineLookup(text: string): (key: string) => number | undefined {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    const name = keyOn(line.trim());
    if (name !== undefined && !lines.has(name)) lines.set(name, index + 1);
  }
  // `name.version = "1"` is a key of the table `name`.
  return (key) => lines.get(key) ?? lines.get(`${key}.version`) ?? lines.get(`${key}.workspace`);
}

function keyOn(line: string): string | undefined {
  const isTable = line.startsWith("[") && line.indexOf("]") === line.length - 1;
  if (!isTable) return /^["']?([\w.-]{1,200})["']?\s*=/.exec(line)?.[1];
  const last = line.slice(Math.max(line.lastIndexOf("."), 0) + 1, -1);
  return /^\s*["']?([\w-]{1,200})["']?\s*$/.exec(last)?.[1];
}

/** Returns the packages of a lock file, `[[package]]`; none if it has none. Throws `DependencyFileSyntaxError`. */
export function readTomlLockPackageTables(lock: JsonObject): readonly JsonObject[] {
  const { package: packages = [] } = lock;
  if (Array.isArray(packages) && packages.every(isJsonObject)) return packages;
  throw new DependencyFileSyntaxError("invalid_lock: its packages are not a list of tables", 1);
}
