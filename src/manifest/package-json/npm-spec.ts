import npa from "npm-package-arg";
import semver from "semver";
import type { ManifestDependency } from "../manifest.ts";

/** What a specifier of a package.json asks for: a package of the registry, or why it is none. */
export type ParsedNpmSpecifier = ManifestDependency | { readonly reason: string };

/** Protocols that npm's parser does not know, and what they mean. */
const protocols: readonly (readonly [prefix: RegExp, reason: string])[] = [
  [/^(link|portal|file|workspace|patch|exec):/, "local"],
  [/^catalog:/, "local: a catalog is written in the workspace's file"],
  [/^jsr:/, "unsupported_registry: jsr"],
  [/^(git|git\+\w+|ssh):/, "git"],
  [/^\$/, "reference: it refers to another entry"],
];

const longestName = 200;
/** Longer than any address; the library's expressions take long for long text. */
const maxSpecifierLength = 500;

/**
 * Reads one dependency of a package.json. Specifiers that lead past the registry
 * give the reason: `git`, `url`, `local`, `unsupported_registry`, `invalid_name`,
 * `invalid_specifier`.
 */
export function parseNpmSpecifier(name: string, specifier: string): ParsedNpmSpecifier {
  const text = specifier.trim();
  if (name === "" || name.length > longestName) return { reason: "invalid_name" };
  if (text.length > maxSpecifierLength) return { reason: "invalid_specifier: it is too long" };
  const known = protocols.find(([prefix]) => prefix.test(text));
  if (known !== undefined) return { reason: known[1] };
  // Yarn lets an alias be a range of the very name.
  const ownRange = /^npm:([\d^~*<>=vx].*)$/.exec(text)?.[1];
  if (ownRange !== undefined) return parseNpmSpecifier(name, ownRange);
  try {
    if (isPlain(name, text)) return registryPackage(name, typeOf(text), text);
    return readResult(npa.resolve(name, text, "/"), text);
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

const plainNamePattern = /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/i;
/** Names of files that the library refuses as names of packages. */
const reservedNames: ReadonlySet<string> = new Set(["node_modules", "favicon.ico"]);

/**
 * Returns whether a specifier can be neither an address, a path nor an alias. The library tries to
 * make a URL of every specifier, and each failure of that takes about 0.1 ms.
 */
function isPlain(name: string, text: string): boolean {
  if (!plainNamePattern.test(name) || reservedNames.has(name.toLowerCase())) return false;
  return !/^\.|[/\\:@]|\.(?:tgz|tar\.gz|tar)$/i.test(text);
}

/** Throws for a text that cannot be a tag. */
function typeOf(text: string): "version" | "range" | "tag" {
  if (semver.valid(text, true) !== null) return "version";
  if (semver.validRange(text, true) !== null) return "range";
  if (encodeURIComponent(text) === text) return "tag";
  throw new TypeError("A tag has no such characters.");
}

function readResult(result: npa.Result, requested: string): ParsedNpmSpecifier {
  switch (result.type) {
    case "version":
    case "range":
    case "tag":
      return registryPackage(result.name ?? "", result.type, requested);
    case "alias":
      return readAlias(result);
    case "git":
      return { reason: "git" };
    case "remote":
      return { reason: "url" };
    default:
      return { reason: "local" };
  }
}

function readAlias(result: npa.Result): ParsedNpmSpecifier {
  const { subSpec: target } = result as npa.AliasResult;
  // The parser makes `*` of an alias without a version.
  const requested = /^npm:(@[^@]+|[^@]+)$/.test(result.rawSpec) ? "" : target.rawSpec;
  return readResult(target, requested);
}

function registryPackage(
  name: string,
  type: "version" | "range" | "tag",
  requested: string,
): ParsedNpmSpecifier {
  if (name.length > longestName) return { reason: "invalid_name" };
  const common = {
    ecosystem: "npm" as const,
    name,
    requested: requested === "" ? null : requested,
  };
  switch (type) {
    case "version":
      return { ...common, version: semver.clean(requested, { loose: true }) ?? requested };
    default:
      return { ...common, constraint: type };
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EINVALIDPACKAGENAME") return "invalid_name";
  if (code === "EUNSUPPORTEDPROTOCOL") return "url";
  return "invalid_specifier";
}
