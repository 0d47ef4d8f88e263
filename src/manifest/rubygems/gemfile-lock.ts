import {
  flattenDependencyGraph,
  type DependencyGraphRoot,
  type DependencyWithoutLockEntry,
  type DependencyGraphNode,
} from "../dependency-graph.ts";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import { toUnparsedLongLine } from "../document/long-lines.ts";
import { toExcerptWithDigest, type UnparsableManifestText } from "../manifest.ts";
import {
  toGitDownloadSource,
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { indexLockEntriesByReference } from "../position-keys.ts";
import { parseGemfileEntries } from "./gemfile.ts";

/** Sections whose specs are of somewhere else than a registry; a `PATH` is of this machine. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["GIT", "git"],
  ["PATH", "local"],
  ["PLUGIN SOURCE", "url: a plug-in of Bundler"],
]);

/** A gem that another one needs, as it is asked about if the file has no entry for it. */
type MissingGem = DependencyWithoutLockEntry & { readonly requested: string | null };

/** A part of the file whose gems all come from the same places. */
interface Section {
  readonly kind: string;
  readonly remotes: string[];
  /** By `name@version`: a gem for several platforms has a line for each. */
  readonly gems: Map<string, Gem>;
}

interface Gem {
  readonly name: string;
  readonly version: string;
  readonly line: number;
  readonly needs: MissingGem[];
}

/** Reads a Gemfile.lock; the Gemfile beside it says what a gem is for. */
export function parseGemfileLock(text: string, beside: SiblingFileReader): DependencyFile {
  const { sections, asked, unparsed } = sectionsIn(text);
  const gems = sections.flatMap((section) => {
    const origin = originOf(section);
    return [...section.gems.values()].map((gem) => ({ gem, origin }));
  });
  const references = indexLockEntriesByReference(gems.map(({ gem }) => [gem.name]));
  const nodes = new Map(
    gems.map(({ gem, origin }, at) => [at.toString(), nodeOf(gem, origin, references)] as const),
  );
  const manifest = beside("Gemfile");
  const groups = new Map(
    parseGemfileEntries(manifest ?? "").map(({ name, group }) => [name, group] as const),
  );
  const roots = asked.map((name): DependencyGraphRoot => ({
    key: name,
    group: groups.get(name) ?? "production",
  }));
  const file = flattenDependencyGraph({ ecosystem: "rubygems", nodes, references, roots });
  return { ...file, unparsed: [...unparsed, ...file.unparsed] };
}

function nodeOf(
  { name, version, line, needs }: Gem,
  origin: PackageDownloadOrigin,
  references: ReadonlyMap<string, readonly string[]>,
): DependencyGraphNode {
  return {
    name,
    version,
    line,
    requires: needs.map((need) => need.name).filter((needed) => references.has(needed)),
    // Bundler itself is in no lock file.
    missing: needs.filter((need) => need.name !== "bundler" && !references.has(need.name)),
    ...origin,
  };
}

interface Sections {
  readonly sections: readonly Section[];
  readonly asked: readonly string[];
  readonly unparsed: readonly UnparsableManifestText[];
}

function sectionsIn(text: string): Sections {
  const sections: Section[] = [];
  const asked: string[] = [];
  const unparsed: UnparsableManifestText[] = [];
  let current: Gem | undefined;
  let section: Section | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const long = toUnparsedLongLine(raw, index + 1);
    if (long !== undefined) {
      unparsed.push(long);
      // What the lines below are needed by is not known then.
      current = undefined;
      continue;
    }
    const [, spaces = "", name, version] = /^( *)([^\s(!]+)(?: \(([^)]*)\))?!?$/.exec(raw) ?? [];
    const [, remote] = /^ {2}remote: (.*)$/.exec(raw) ?? [];
    if (/^[A-Z][A-Z ]*$/.test(raw)) {
      section = { kind: raw, remotes: [], gems: new Map() };
      sections.push(section);
    } else if (remote !== undefined) section?.remotes.push(remote);
    else if (raw.trim() !== "" && section === undefined) throw notBundler(index + 1);
    else if (isSource(section) && /^ {4}\S/.test(raw) && version === undefined) {
      unparsed.push({
        line: index + 1,
        ...toExcerptWithDigest(raw),
        reason: notBundler(index + 1).message,
      });
      current = undefined;
    } else if (name === undefined) continue;
    else if (section?.kind === "DEPENDENCIES" && spaces.length === 2) asked.push(name);
    else if (spaces.length === 4 && version !== undefined && isSource(section)) {
      const plain = plainVersion(version);
      const key = `${name}@${plain}`;
      const needs = section?.gems.get(key)?.needs ?? [];
      current = { name, version: plain, line: index + 1, needs };
      section?.gems.set(key, current);
    } else if (spaces.length === 6) {
      current?.needs.push({ name, requested: version ?? null, constraint: "range" });
    }
  }
  if (!/(?:^|\n)(GEM|GIT|PATH|DEPENDENCIES)(?:\r?\n|$)/.test(text)) throw notBundler(1);
  return { sections, asked, unparsed };
}

/** Old files have all their sources in one section. */
function originOf({ kind, remotes }: Section): PackageDownloadOrigin {
  const reason = reasons.get(kind);
  if (reason !== undefined) return toGitDownloadSource(remotes.join(" "), reason);
  return mergePackageDownloadSources(
    remotes.map((remote) => toRegistryDownloadSource("rubygems", remote)),
  );
}

function isSource(section: Section | undefined): boolean {
  return section !== undefined && (section.kind === "GEM" || reasons.has(section.kind));
}

/** `1.15.0-x86_64-linux` is 1.15.0, built for a platform: a version of a gem has no hyphen. */
function plainVersion(version: string): string {
  return version.split("-", 1)[0] ?? version;
}

function notBundler(line: number): DependencyFileSyntaxError {
  return new DependencyFileSyntaxError("invalid_lock: Bundler does not write such a line", line);
}
