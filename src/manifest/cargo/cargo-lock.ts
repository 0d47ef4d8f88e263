import { asRecords, asText, asTexts, type JsonObject } from "../../platform/json-value.ts";
import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { tableLines, tomlDocument } from "../document/toml-document.ts";
import { cargoEntries } from "./cargo-entries.ts";

/** Reads a Cargo.lock. What has no source is of the project itself; the Cargo.toml beside it says what for. */
export function readCargoLock(text: string, beside: Beside): DependencyFile {
  const lock = tomlDocument(text);
  const packages = asRecords(lock["package"]);
  if (packages.length === 0 && lock["version"] === undefined) {
    throw new UnreadableText("invalid_lock: it has no packages", 1);
  }
  const lines = tableLines(text, "package", packages.length);
  const own = [...packages.filter(isOwn), ...asRecords([lock["root"]])];
  const keys = keysByReference(packages);
  const nodes = new Map<string, PackageNode>();
  for (const [at, entry] of packages.entries()) {
    if (!isOwn(entry)) nodes.set(keyOf(entry), nodeOf(entry, keys, lines[at]));
  }
  const groups = groupsBeside(beside);
  const roots = own.flatMap((entry) => rootsOf(entry, keys, groups));
  return {
    ...dependenciesIn({ ecosystem: "cargo", nodes, roots }),
    memberNames: own.flatMap(({ name }) => asText(name) ?? []),
  };
}

function isOwn(entry: JsonObject): boolean {
  return entry["source"] === undefined;
}

function keyOf(entry: JsonObject): string {
  return [entry["name"], entry["version"], entry["source"]]
    .flatMap((value) => asText(value) ?? [])
    .join(" ");
}

/** A reference is a name, with the version where that is not clear, and the source likewise. */
function keysByReference(packages: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(
    packages.flatMap((entry) => {
      const name = asText(entry["name"]) ?? "";
      const key = keyOf(entry);
      const named = `${name} ${asText(entry["version"]) ?? ""}`;
      const source = asText(entry["source"]) ?? "";
      return [name, named, `${named} (${source})`].map((reference) => [reference, key] as const);
    }),
  );
}

function nodeOf(
  entry: JsonObject,
  keys: ReadonlyMap<string, string>,
  line: number | undefined,
): PackageNode {
  const version = asText(entry["version"]);
  return {
    name: asText(entry["name"]) ?? "",
    ...(version !== undefined && { version }),
    line,
    requires: asTexts(entry["dependencies"]).flatMap((reference) => keys.get(reference) ?? []),
    reason: asText(entry["source"])?.startsWith("git+") === true ? "git" : undefined,
  };
}

function rootsOf(
  entry: JsonObject,
  keys: ReadonlyMap<string, string>,
  groups: ReadonlyMap<string, string>,
): GraphRoot[] {
  return asTexts(entry["dependencies"]).flatMap((reference) => {
    const key = keys.get(reference);
    const group = groups.get(reference.split(" ", 1)[0] ?? "") ?? "production";
    return key === undefined ? [] : [{ key, group }];
  });
}

function groupsBeside(beside: Beside): ReadonlyMap<string, string> {
  const text = beside("Cargo.toml");
  if (text === undefined) return new Map();
  try {
    const entries = cargoEntries(tomlDocument(text), beside);
    // What is needed both ways counts as what comes first: production.
    return new Map(entries.toReversed().map(({ name, group }) => [name, group]));
  } catch {
    return new Map();
  }
}
