import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import {
  toNonRegistryDownloadSource,
  toGitDownloadSource,
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { hasVisibleGemCall, hasPossibleGemCall } from "./gem-calls.ts";
import { findTrailingRubyDoClause, splitRubyStatements, splitRubyArguments } from "./ruby-text.ts";
import { appendAll } from "../../platform/append-all.ts";

/** A gem that a Gemfile asks for. */
export interface GemfileDependencyEntry {
  readonly name: string;
  readonly group: string;
  readonly requested: string | null;
  readonly line: number;
  readonly text: string;
  /** Why it is no gem of the registry. */
  readonly reason?: string;
  /** Address of its repository, or its folder; undefined where it is computed. */
  readonly address?: string;
  /** Whether `name` names a gem. */
  readonly isNamed?: boolean;
  /** Hosts other than the public registry that it may come from. */
  readonly hosts?: readonly string[];
  /** Hosts that any gem may come from, one list for all. */
  readonly usualHosts?: readonly string[];
}

/**
 * Reads a Gemfile as far as a program can be read: `gem` with texts, and the groups and sources
 * around it. A line that has such a call in another form is unparsed.
 */
export function parseGemfile(text: string): DependencyFile {
  const entries = parseGemfileEntries(text).map((entry): DeclaredDependencyEntry => {
    const { name, requested, group, line, hosts = [], usualHosts = [], isNamed = false } = entry;
    const at = { group, line, hosts, usualHosts };
    if (entry.reason !== undefined) {
      const { text: shown, reason, address } = entry;
      return {
        ...at,
        text: shown,
        reason,
        ...(isNamed && { name }),
        ...(address !== undefined && { address }),
      };
    }
    const [, version] = /^=?\s*(\d[\w.]*)$/.exec(requested ?? "") ?? [];
    return { ...at, name, requested, ...(version !== undefined && { version }) };
  });
  return declaredEntriesToDependencyFile("rubygems", entries);
}

/** A block around a line: `group :test do`, `git "…" do`. */
interface Block {
  readonly group: string | undefined;
  readonly origin: PackageDownloadOrigin;
}

/** The `gem` calls; `gemspec`, sources, and calls that cannot be read are among them, with a reason. */
export function parseGemfileEntries(text: string): GemfileDependencyEntry[] {
  /** Blocks around a line; a block that says nothing has what those around it say. */
  const blocks: Block[] = [];
  const sources: PackageDownloadOrigin[] = [];
  const entries = splitRubyStatements(text).flatMap(({ code, line }): GemfileDependencyEntry[] => {
    if (/^end\b/.test(code)) blocks.pop();
    const outer = blocks.at(-1);
    const at = { group: outer?.group ?? "production", line, text: code, requested: null };
    const source = sourceOf(code);
    const opens = /^(?:if|unless|case|begin|def|while|until|for)\b/.test(code);
    const isBlock = opens || findTrailingRubyDoClause(code) !== "";
    if (source !== undefined && source.reason === undefined && !isBlock) sources.push(source);
    const entry =
      source?.reason === undefined
        ? entryOf(code, at, outer?.origin ?? {})
        : { ...at, name: "source", reason: source.reason };
    if (isBlock) {
      const group = blockGroup(code) ?? outer?.group;
      blocks.push({
        group,
        origin: blockOrigin(code) ?? sourceBlockOrigin(source) ?? outer?.origin ?? {},
      });
    }
    return entry === undefined ? [] : [entry];
  });
  // A source counts for all gems: Bundler may find each of them at any that has no block.
  const { hosts: usualHosts = [] } = mergePackageDownloadSources(sources);
  return entries.map((entry) => ({ ...entry, usualHosts }));
}

/** `source "https://…"`, also with a block. Undefined for any other statement. */
function sourceOf(code: string): PackageDownloadOrigin | undefined {
  if (!/^source(?![\w?!:=])/.test(code)) return undefined;
  if (/^source[\s(]*:rubygems\b/.test(code)) return {};
  const [, address] = /^source[\s(]*["']([^"'#\\]+)["']/.exec(code) ?? [];
  if (address === undefined) return { reason: "expression: the source is no text" };
  const { hosts = [], reason } = toRegistryDownloadSource("rubygems", address);
  return reason === undefined ? { hosts } : { reason };
}

/** The origin of the gems in the block of a source. */
function sourceBlockOrigin(
  source: PackageDownloadOrigin | undefined,
): PackageDownloadOrigin | undefined {
  return source?.hosts === undefined ? undefined : { hosts: source.hosts };
}

/** The first group of `group :development, :test do`. */
function blockGroup(code: string): string | undefined {
  const end = code.search(/\bdo\b/);
  return /^group[ (]/.test(code) && end !== -1 ? groupIn(code.slice(0, end)) : undefined;
}

/** The origin of `git "https://…" do` and `path "…" do`, whose gems are not of a registry. */
function blockOrigin(code: string): PackageDownloadOrigin | undefined {
  const [, key] = /^(git|github|gist|bitbucket|gitlab|path)(?![\w?!:=])/.exec(code) ?? [];
  if (key === undefined) return undefined;
  const [, value = ""] = /^\w+[\s(]*("[^"]*"|'[^']*')/.exec(code) ?? [];
  return elsewhere(key, value);
}

/** Addresses before the names of repositories; a gist has no owner. */
const forges: ReadonlyMap<string, string> = new Map([
  ["github", "https://github.com/"],
  ["gist", "https://gist.github.com/"],
  ["bitbucket", "https://bitbucket.org/"],
  ["gitlab", "https://gitlab.com/"],
]);

/** Origin of `git: "https://…"`, `github: "owner/name"`, `github: "name"`, `path: "…"`. */
function elsewhere(key: string, value: string): PackageDownloadOrigin {
  const text = plainText(value);
  if (key === "path") return toNonRegistryDownloadSource("local", text);
  const forge = forges.get(key);
  if (text === undefined || forge === undefined || text.includes("://"))
    return toGitDownloadSource(text);
  const isWhole = key === "gist" || text.includes("/");
  return toGitDownloadSource(`${forge}${isWhole ? text : `${text}/${text}`}`);
}

type At = Pick<GemfileDependencyEntry, "group" | "line" | "text" | "requested">;

function entryOf(
  code: string,
  at: At,
  outer: PackageDownloadOrigin,
): GemfileDependencyEntry | undefined {
  if (/^gemspec\b/.test(code)) return { ...at, name: "gemspec", reason: "include: a gemspec" };
  if (/^eval_gemfile\b/.test(code)) {
    return { ...at, name: code, reason: "include: another Gemfile" };
  }
  const own = blockOrigin(code);
  if (own !== undefined) return { ...at, name: code, ...own };
  const [call] = /^(?:gem|plugin)(?![\w?!:=-])[\s(]*/.exec(code) ?? [];
  const options = code.slice(call?.length ?? 0);
  if (call !== undefined && options !== "" && !hasVisibleGemCall(options)) {
    return { ...at, ...gemOf(options, at.group, outer) };
  }
  if (!hasPossibleGemCall(code)) return undefined;
  return { ...at, name: code, reason: "expression: the call is within other code" };
}

const expression = "expression: it is no text";

/** Options that do not change where a gem comes from. */
const plainOption =
  /^(?:groups?|require|platforms?|install_if|branch|ref|tag|submodules|glob|force_ruby_platform|type)$/;

/** Reads the arguments of `gem`. */
function gemOf(
  text: string,
  group: string,
  outer: PackageDownloadOrigin,
): Omit<GemfileDependencyEntry, "line" | "text"> {
  const unread = { name: text, group, requested: null, reason: expression };
  const [first = "", ...rest] = splitRubyArguments(text);
  const name = plainText(first);
  if (name === undefined) return unread;
  const versions: string[] = [];
  const origins: PackageDownloadOrigin[] = [];
  let ownGroup = group;
  for (const argument of rest) {
    const option = optionOf(argument);
    if (option === undefined) {
      const found = versionTexts(argument);
      if (found === undefined) return unread;
      appendAll(versions, found);
    } else if (/^groups?$/.test(option.key)) ownGroup = groupIn(option.value);
    else {
      const origin = optionOrigin(option);
      if (origin === undefined) return unread;
      origins.push(origin);
    }
  }
  const own = mergePackageDownloadSources(origins);
  const { reason, address } = own.reason === undefined ? outer : own;
  const hosts = own.hosts ?? (origins.length === 0 ? outer.hosts : undefined);
  return {
    name,
    isNamed: true,
    group: ownGroup,
    requested: versions.join(", ") || null,
    ...(reason !== undefined && { reason }),
    ...(address !== undefined && { address }),
    ...(hosts !== undefined && { hosts }),
  };
}

interface GemOption {
  readonly key: string;
  readonly value: string;
}

/** `key: value`, `:key => value`, `"key" => value`, `"key": value`. */
function optionOf(argument: string): GemOption | undefined {
  const [, key, value = ""] =
    /^(\w+):(?!:)(.*)$/s.exec(argument) ??
    /^["'](\w+)["'](?::|\s*=>)(.*)$/s.exec(argument) ??
    /^:(\w+)\s*=>(.*)$/s.exec(argument) ??
    [];
  return key === undefined ? undefined : { key, value: value.trim() };
}

/** Undefined: it cannot be said. */
function optionOrigin({ key, value }: GemOption): PackageDownloadOrigin | undefined {
  if (key === "git" || key === "path" || forges.has(key)) return elsewhere(key, value);
  if (key !== "source") return plainOption.test(key) ? {} : undefined;
  const address = plainText(value);
  return address === undefined ? undefined : toRegistryDownloadSource("rubygems", address);
}

/** Texts of a version, or of a list of versions; undefined for anything that is computed. */
function versionTexts(argument: string): string[] | undefined {
  const [, list] = /^\[(.*)\]$/s.exec(argument) ?? [];
  const texts = (list === undefined ? [argument] : splitRubyArguments(list)).map(plainText);
  return texts.every((each) => each !== undefined) ? texts : undefined;
}

/** The text in quotes, without anything that Ruby would compute. */
function plainText(argument: string): string | undefined {
  const [, double, single] = /^(?:"([^"\\#]+)"|'([^'\\]+)')$/.exec(argument) ?? [];
  return double ?? single;
}

/** `:development, :test` is for development. */
function groupIn(text: string): string {
  const names = [...text.matchAll(/:(\w+)|["'](\w+)["']/g)].map(([, a, b]) => a ?? b ?? "");
  return names.find((name) => name === "default") === undefined
    ? (names[0] ?? "production")
    : "production";
}
