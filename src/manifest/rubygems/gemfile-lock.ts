import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { longLine } from "../document/long-lines.ts";
import type { UnparsedText } from "../manifest.ts";
import { gemfileEntries } from "./gemfile.ts";

/** Sections whose specs are of somewhere else than a registry; a `PATH` is of this machine. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["GIT", "git"],
  ["PATH", "local"],
  ["PLUGIN SOURCE", "url: a plug-in of Bundler"],
]);

interface Gem {
  readonly name: string;
  readonly version: string;
  readonly line: number;
  readonly reason: string | undefined;
  readonly needs: string[];
}

/** Reads a Gemfile.lock; the Gemfile beside it says what a gem is for. */
export function readGemfileLock(text: string, beside: Beside): DependencyFile {
  const { gems, asked, unparsed } = sectionsIn(text);
  const references = keysByName(gems);
  const nodes = new Map<string, PackageNode>();
  for (const gem of gems) {
    nodes.set(keyOf(gem), {
      name: gem.name,
      version: gem.version,
      line: gem.line,
      requires: gem.needs.filter((name) => references.has(name)),
      reason: gem.reason,
    });
  }
  const manifest = beside("Gemfile");
  const groups = new Map(
    gemfileEntries(manifest ?? "").map(({ name, group }) => [name, group] as const),
  );
  const roots = asked.map((name): GraphRoot => ({
    key: name,
    group: groups.get(name) ?? "production",
  }));
  const file = dependenciesIn({ ecosystem: "rubygems", nodes, references, roots });
  return { ...file, unparsed: [...unparsed, ...file.unparsed] };
}

interface Sections {
  readonly gems: readonly Gem[];
  readonly asked: readonly string[];
  readonly unparsed: readonly UnparsedText[];
}

function sectionsIn(text: string): Sections {
  const gems: Gem[] = [];
  const asked: string[] = [];
  const unparsed: UnparsedText[] = [];
  let current: Gem | undefined;
  let section: string | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const long = longLine(raw, index + 1);
    if (long !== undefined) {
      unparsed.push(long);
      // What the lines below are needed by is not known then.
      current = undefined;
      continue;
    }
    const [, spaces = "", name, version] = /^( *)([^\s(!]+)(?: \(([^)]*)\))?!?$/.exec(raw) ?? [];
    if (/^[A-Z][A-Z ]*$/.test(raw)) section = raw;
    else if (raw.trim() !== "" && section === undefined) throw notBundler(index + 1);
    else if (name === undefined) continue;
    else if (section === "DEPENDENCIES" && spaces.length === 2) asked.push(name);
    else if (spaces.length === 4 && version !== undefined && isSource(section)) {
      const reason = reasons.get(section ?? "");
      current = { name, version: plainVersion(version), line: index + 1, reason, needs: [] };
      gems.push(current);
    } else if (spaces.length === 6) current?.needs.push(name);
  }
  if (!/^(GEM|GIT|PATH|DEPENDENCIES)$/m.test(text)) throw notBundler(1);
  return { gems, asked, unparsed };
}

function isSource(section: string | undefined): boolean {
  return section === "GEM" || reasons.has(section ?? "");
}

/** `1.15.0-x86_64-linux` is 1.15.0, built for a platform: a version of a gem has no hyphen. */
function plainVersion(version: string): string {
  return version.split("-", 1)[0] ?? version;
}

function keyOf({ name, version }: Gem): string {
  return `${name}@${version}`;
}

function keysByName(gems: readonly Gem[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, Set<string>>();
  for (const gem of gems) {
    const known = keys.get(gem.name);
    if (known === undefined) keys.set(gem.name, new Set([keyOf(gem)]));
    else known.add(keyOf(gem));
  }
  return new Map([...keys].map(([name, found]) => [name, [...found]]));
}

function notBundler(line: number): UnreadableText {
  return new UnreadableText("invalid_lock: Bundler does not write such a line", line);
}
