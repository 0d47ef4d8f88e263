import { dependenciesIn, type GraphRoot, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
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
  const { gems, asked } = sectionsIn(text);
  const keys = keysByName(gems);
  const nodes = new Map<string, PackageNode>();
  for (const gem of gems) {
    nodes.set(keyOf(gem), {
      name: gem.name,
      version: gem.version,
      line: gem.line,
      requires: gem.needs.flatMap((name) => keys.get(name) ?? []),
      reason: gem.reason,
    });
  }
  const manifest = beside("Gemfile");
  const groups = new Map(
    gemfileEntries(manifest ?? "").map(({ name, group }) => [name, group] as const),
  );
  const roots = asked.flatMap((name): GraphRoot[] =>
    (keys.get(name) ?? []).map((key) => ({ key, group: groups.get(name) ?? "production" })),
  );
  return dependenciesIn({ ecosystem: "rubygems", nodes, roots });
}

function sectionsIn(text: string): { readonly gems: Gem[]; readonly asked: string[] } {
  const gems: Gem[] = [];
  const asked: string[] = [];
  let section: string | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const [, spaces = "", name, version] = /^( *)([^\s(!]+)(?: \(([^)]*)\))?!?$/.exec(raw) ?? [];
    if (/^[A-Z][A-Z ]*$/.test(raw)) section = raw;
    else if (raw.trim() !== "" && section === undefined) throw notBundler(index + 1);
    else if (name === undefined) continue;
    else if (section === "DEPENDENCIES" && spaces.length === 2) asked.push(name);
    else if (spaces.length === 4 && version !== undefined && isSource(section)) {
      const reason = reasons.get(section ?? "");
      gems.push({ name, version: plainVersion(version), line: index + 1, reason, needs: [] });
    } else if (spaces.length === 6) gems.at(-1)?.needs.push(name);
  }
  if (!/^(GEM|GIT|PATH|DEPENDENCIES)$/m.test(text)) throw notBundler(1);
  return { gems, asked };
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
  const keys = new Map<string, string[]>();
  for (const gem of gems) {
    const known = keys.get(gem.name) ?? [];
    if (!known.includes(keyOf(gem))) keys.set(gem.name, [...known, keyOf(gem)]);
  }
  return keys;
}

function notBundler(line: number): UnreadableText {
  return new UnreadableText("invalid_lock: Bundler does not write such a line", line);
}
