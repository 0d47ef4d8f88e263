import { dependenciesIn, type PackageNode } from "../dependency-graph.ts";
import { UnreadableText, type Beside, type DependencyFile } from "../dependency-file.ts";
import { longLine } from "../document/long-lines.ts";
import type { UnparsedText } from "../manifest.ts";
import { outsideReason } from "./outside-reason.ts";
import { npmRootsBeside, workspacesBeside } from "./npm-roots.ts";

/** One block of the file. */
interface Block {
  readonly line: number;
  /** `name@range`, one for each way in which it is asked for. */
  readonly descriptors: readonly string[];
  version: string | undefined;
  readonly needs: string[];
  /** A line of it is too long to be read. */
  isCut: boolean;
}

/** Reads the yarn.lock of Yarn 1, which has a format of its own. */
export function readYarnClassic(text: string, beside: Beside): DependencyFile {
  const { blocks, unparsed } = blocksIn(text);
  const keys = new Map(
    blocks.flatMap((block) =>
      block.descriptors.map((descriptor) => [descriptor, block.descriptors[0] ?? ""] as const),
    ),
  );
  const nodes = new Map(
    blocks.map((block) => [block.descriptors[0] ?? "", nodeOf(block, keys)] as const),
  );
  const roots = npmRootsBeside(beside, (name, range) => keys.get(`${name}@${range}`) ?? "", nodes);
  const file = dependenciesIn({ ecosystem: "npm", nodes, roots });
  return {
    dependencies: file.dependencies,
    unparsed: [...unparsed, ...file.unparsed],
    members: workspacesBeside(beside),
  };
}

function blocksIn(text: string): {
  readonly blocks: readonly Block[];
  readonly unparsed: readonly UnparsedText[];
} {
  const blocks: Block[] = [];
  const unparsed: UnparsedText[] = [];
  let isInNeeds = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const indent = line.length - line.trimStart().length;
    const block = blocks.at(-1);
    const long = longLine(line, index + 1);
    if (long !== undefined) {
      unparsed.push(long);
      if (indent === 0) blocks.push({ ...emptyBlock(index + 1), isCut: true });
      else if (block !== undefined) block.isCut = true;
    } else if (indent === 0) blocks.push(blockOf(line, index + 1));
    else if (block === undefined) throw notYarn(index + 1);
    else if (indent === 2) {
      const [, version] = /^version:? "?([^"]+)"?$/.exec(line.trim()) ?? [];
      if (version !== undefined) block.version = version;
      isInNeeds = /^(dependencies|optionalDependencies):$/.test(line.trim());
    } else if (isInNeeds) block.needs.push(needOf(line.trim(), index + 1));
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
  return { line, descriptors: [], version: undefined, needs: [], isCut: false };
}

/** `name "range"` is `name@range`. */
function needOf(text: string, line: number): string {
  const [, name, range] = /^"?([^"\s]+)"? "?([^"]*)"?$/.exec(text) ?? [];
  if (name === undefined) throw notYarn(line);
  return `${name}@${range ?? ""}`;
}

function nodeOf(
  { descriptors, version, needs, line }: Block,
  keys: ReadonlyMap<string, string>,
): PackageNode {
  const [first = ""] = descriptors;
  const [, name = first, range = ""] = /^(@?[^@]+)@(.*)$/s.exec(first) ?? [];
  const [, alias] = /^npm:(@?[^@]+)(?:@.*)?$/.exec(range) ?? [];
  return {
    name: alias !== undefined && !/^[\d^~*<>=]/.test(alias) ? alias : name,
    ...(version !== undefined && { version }),
    line,
    requires: needs.flatMap((need) => keys.get(need) ?? []),
    reason: outsideReason(name, range),
  };
}

function notYarn(line: number): UnreadableText {
  return new UnreadableText("invalid_lock: Yarn does not write such a line", line);
}
