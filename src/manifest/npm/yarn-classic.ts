import { flattenDependencyGraph, type DependencyGraphNode } from "../dependency-graph.ts";
import {
  DependencyFileSyntaxError,
  type SiblingFileReader,
  type DependencyFile,
} from "../dependency-file.ts";
import { toUnparsedLongLine } from "../document/long-lines.ts";
import { toExcerptWithDigest, type UnparsableManifestText } from "../manifest.ts";
import { toNonRegistryDownloadSource, toNpmArchiveDownloadSource } from "../origin.ts";
import { findNpmNonRegistryReason } from "./non-registry-reason.ts";
import { toNpmDependencyWithoutLockEntry } from "./missing-need.ts";
import {
  readAdjacentPackageJsonRoots,
  readAdjacentPackageJsonResolutions,
  readAdjacentPackageJsonWorkspaces,
} from "./npm-roots.ts";

/** One block of the file. */
interface Block {
  readonly line: number;
  /** `name@range`, one for each way in which it is asked for. */
  readonly descriptors: readonly string[];
  version: string | undefined;
  /** Address of its archive. */
  resolved: string | undefined;
  readonly needs: string[];
  /** A line of it is too long to be read. */
  isCut: boolean;
}

/** Reads the yarn.lock of Yarn 1, which has a format of its own. */
export function parseYarnClassicLock(text: string, beside: SiblingFileReader): DependencyFile {
  const { blocks, unparsed } = blocksIn(text);
  const keys = new Map(
    blocks.flatMap(({ descriptors }, at) =>
      descriptors.map((descriptor) => [descriptor, at.toString()] as const),
    ),
  );
  const overridden = readAdjacentPackageJsonResolutions(beside, namesOf(keys.keys()));
  const nodes = new Map(
    blocks.flatMap((block, at) => nodesOf(block, at.toString(), keys, overridden)),
  );
  const roots = readAdjacentPackageJsonRoots(
    beside,
    (name, range) => keys.get(`${name}@${range}`) ?? "",
    nodes,
  );
  const file = flattenDependencyGraph({ ecosystem: "npm", nodes, roots });
  return {
    dependencies: file.dependencies,
    unparsed: [...unparsed, ...file.unparsed],
    members: readAdjacentPackageJsonWorkspaces(beside),
    requests: new Set(blocks.flatMap(({ descriptors }) => descriptors)),
  };
}

function blocksIn(text: string): {
  readonly blocks: readonly Block[];
  readonly unparsed: readonly UnparsableManifestText[];
} {
  const blocks: Block[] = [];
  const unparsed: UnparsableManifestText[] = [];
  let isInNeeds = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    // For Yarn it ends a line, unless in a comment.
    if (line.includes("\r")) throw notYarn(index + 1);
    const indent = line.length - line.trimStart().length;
    const block = blocks.at(-1);
    const long = toUnparsedLongLine(line, index + 1);
    if (long !== undefined) {
      unparsed.push(long);
      if (indent === 0) blocks.push({ ...emptyBlock(index + 1), isCut: true });
      else if (block !== undefined) block.isCut = true;
    } else if (indent === 0) blocks.push(blockOf(line, index + 1));
    else if (block === undefined) throw notYarn(index + 1);
    else if (indent === 2) {
      const [, key, value] = /^(\w+):?(?: +(\S.*))?$/.exec(line.trim()) ?? [];
      if (key === undefined) unparsed.push(strangeLine(line, index + 1));
      if (key === "version") block.version = plainText(value) || undefined;
      if (key === "resolved") block.resolved = plainText(value);
      isInNeeds = /^(dependencies|optionalDependencies):$/.test(line.trim());
    } else if (indent === 1 || line.startsWith("\t")) unparsed.push(strangeLine(line, index + 1));
    else if (isInNeeds) block.needs.push(needOf(line.trim(), index + 1));
  }
  const whole = blocks.filter(({ isCut }) => !isCut);
  const broken = whole.find(({ version }) => version === undefined);
  if (broken !== undefined) throw notYarn(broken.line);
  return { blocks: whole, unparsed };
}

function blockOf(line: string, number: number): Block {
  if (!line.endsWith(":")) throw notYarn(number);
  const descriptors = line
    .slice(0, -1)
    .split(",")
    .map((part) => part.trim().replaceAll('"', ""));
  return { ...emptyBlock(number), descriptors };
}

function emptyBlock(line: number): Block {
  return {
    line,
    descriptors: [],
    version: undefined,
    resolved: undefined,
    needs: [],
    isCut: false,
  };
}

/** `name "range"` is `name@range`. */
function needOf(text: string, line: number): string {
  const [, name, range] = /^"?([^"\s]+)"? "?([^"]*)"?$/.exec(text) ?? [];
  if (name === undefined) throw notYarn(line);
  return `${name}@${range ?? ""}`;
}

/** The package of a block; whoever asks for it by another name has it by that name as well. */
function nodesOf(
  block: Block,
  blockKey: string,
  keys: ReadonlyMap<string, string>,
  overridden: ReadonlySet<string>,
): [string, DependencyGraphNode][] {
  const nodes = new Map<string, [string, DependencyGraphNode]>();
  const needs = {
    requires: block.needs.flatMap((need) => keys.get(need) ?? []),
    missing: block.needs.flatMap((need) => {
      const [name, range] = partsOf(need);
      return keys.has(need) || overridden.has(name)
        ? []
        : [toNpmDependencyWithoutLockEntry(name, range)];
    }),
  };
  for (const descriptor of block.descriptors) {
    const node = { ...nodeOf(block, descriptor), ...needs };
    const key = nodes.size === 0 ? blockKey : `${blockKey} ${descriptor}`;
    const identity = `${node.name} ${node.reason ?? ""}`;
    if (!nodes.has(identity)) nodes.set(identity, [key, node]);
  }
  return [...nodes.values()];
}

/** Name and range of `name@range`. */
function partsOf(descriptor: string): readonly [name: string, range: string] {
  const [, name = descriptor, range = ""] = /^(@?[^@]+)@(.*)$/s.exec(descriptor) ?? [];
  return [name, range];
}

function namesOf(descriptors: Iterable<string>): ReadonlySet<string> {
  return new Set([...descriptors].map((descriptor) => partsOf(descriptor)[0]));
}

function nodeOf(
  { version, resolved, line }: Block,
  descriptor: string,
): Omit<DependencyGraphNode, "requires" | "missing"> {
  const [asked, range] = partsOf(descriptor);
  const [, alias] = /^npm:(@?[^@]+)(?:@.*)?$/.exec(range) ?? [];
  const name = alias !== undefined && !/^[\d^~*<>=]/.test(alias) ? alias : asked;
  const origin = toNpmArchiveDownloadSource(name, version, resolved);
  const reason = findNpmNonRegistryReason(asked, range);
  // What leads past the registry may have the path of an archive of one.
  const elsewhere = origin.reason === undefined && reason !== undefined;
  return {
    ...(elsewhere ? toNonRegistryDownloadSource(reason, resolved) : origin),
    name,
    ...(version !== undefined && { version }),
    line,
    reason: reason ?? origin.reason,
  };
}

/** A text in quotes is one of JSON. */
function plainText(value = ""): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.replaceAll('"', "");
  }
}

function strangeLine(text: string, line: number): UnparsableManifestText {
  return { line, ...toExcerptWithDigest(text), reason: notYarn(line).message };
}

function notYarn(line: number): DependencyFileSyntaxError {
  return new DependencyFileSyntaxError("invalid_lock: Yarn does not write such a line", line);
}
