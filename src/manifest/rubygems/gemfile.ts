import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";

/** A gem that a Gemfile asks for. */
export interface GemfileEntry {
  readonly name: string;
  readonly group: string;
  readonly requested: string | null;
  readonly line: number;
  readonly text: string;
  /** Why it is no gem of the registry. */
  readonly reason?: string;
}

/** Reads a Gemfile as far as a program can be read: `gem` lines with texts, and the groups around them. */
export function readGemfile(text: string): DependencyFile {
  const entries = gemfileEntries(text).map(({ name, requested, group, line, ...entry }) => {
    if (entry.reason !== undefined) {
      return { group, line, text: entry.text, reason: entry.reason };
    }
    const [, version] = /^=?\s*(\d[\w.]*)$/.exec(requested ?? "") ?? [];
    return { group, line, name, requested, ...(version !== undefined && { version }) };
  });
  return declaredFile("rubygems", entries);
}

/** The `gem` lines; `gemspec` and names that are no texts are among them, with a reason. */
export function gemfileEntries(text: string): GemfileEntry[] {
  /** Groups of the blocks around a line; a block that names none has those around it. */
  const blocks: (string | undefined)[] = [];
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const comment = raw.search(/(?:^|\s)#/);
    const code = (comment === -1 ? raw : raw.slice(0, comment)).trim();
    if (/^end\b/.test(code)) blocks.pop();
    const entry = entryOf(code, index + 1, blocks.at(-1));
    if (/(\bdo(\s*\|[^|]*\|)?|^(if|unless|case)\b.*)$/s.test(code)) {
      blocks.push(blockGroup(code) ?? blocks.at(-1));
    }
    return entry === undefined ? [] : [entry];
  });
}

/** The first group of `group :development, :test do`. */
function blockGroup(code: string): string | undefined {
  const end = code.search(/\bdo\b/);
  return /^group[ (]/.test(code) && end !== -1 ? groupIn(code.slice(0, end)) : undefined;
}

function entryOf(code: string, line: number, block: string | undefined): GemfileEntry | undefined {
  const at = { group: block ?? "production", line, text: code, requested: null };
  if (/^gemspec\b/.test(code)) return { ...at, name: "gemspec", reason: "include: a gemspec" };
  if (!/^gem[ (]/.test(code)) return undefined;
  const rest = code
    .slice("gem".length)
    .replace(/^[ (]+/, "")
    .replace(/\)$/, "");
  const [, name, behind = ""] = /^["']([^"'#{}]+)["'](.*)$/.exec(rest) ?? [];
  if (name === undefined) return { ...at, name: rest, reason: "expression: it is no text" };
  const [, options] = /\bgroups?:\s*(\[[^\][]*\]|:\w+|["']\w+["'])/.exec(behind) ?? [];
  const group = options === undefined ? at.group : groupIn(options);
  const versions = [...behind.matchAll(/^\s*,\s*["']([^"']+)["']|,\s*["']([^"']+)["'](?!\s*=>)/g)];
  const texts = versions.map(([, first, second]) => first ?? second ?? "");
  const requested = texts.filter((each) => /^[~><=!\s]*\d/.test(each)).join(", ") || null;
  const reason = reasonOf(behind);
  return { ...at, name, group, requested, ...(reason !== undefined && { reason }) };
}

function reasonOf(options: string): string | undefined {
  if (/\b(git|github|gist|bitbucket|gitlab):|:(git|github)\s*=>/.test(options)) return "git";
  return /\bpath:|:path\s*=>/.test(options) ? "local" : undefined;
}

/** `:development, :test` is for development. */
function groupIn(text: string): string {
  const names = [...text.matchAll(/:(\w+)|["'](\w+)["']/g)].map(([, a, b]) => a ?? b ?? "");
  return names.find((name) => name === "default") === undefined
    ? (names[0] ?? "production")
    : "production";
}
