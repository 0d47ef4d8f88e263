import { createHash } from "node:crypto";
import { emptyToolNameRestoreInfo, type OriginalTool } from "./restore-info.ts";
import type { CustomTool, FunctionTool, NeutralTool, NeutralRequest } from "./neutral-request.ts";

/** The names by which an upstream knows the tools of a turn and of its history. */
export interface UpstreamToolNames {
  /** Name of a tool or of a call; one that the turn does not know keeps its own. */
  of(name: string, namespace: string | undefined): string;
  /** Name of a tool that a choice names, which has no namespace; undefined: there is no such tool. */
  chosen(name: string): string | undefined;
}

interface NamedTool {
  readonly name: string;
  readonly namespace?: string | undefined;
}

const legal = /^[A-Za-z0-9_-]+$/;
const illegal = /[^A-Za-z0-9_-]/gu;
const hashLength = 8;

/** Of a turn without tools; made once. */
const nothingNamed: UpstreamToolNames = { of: (name) => name, chosen: () => undefined };

/**
 * Names every tool so that an upstream takes it: a tool of a namespace becomes
 * `namespace__name`; a name that is too long, has other characters than letters,
 * digits, `_` and `-`, or is taken is cut and gets `_` and 8 hex digits of its
 * hash. A name that is right keeps itself, whoever else would like to have it.
 * The same turn gives the same names.
 */
export function buildToolNames(turn: NeutralRequest, maximum = 64): UpstreamToolNames {
  const tools = callableTools(turn);
  const calls = callsOf(turn);
  if (tools.length === 0 && calls.length === 0) return nothingNamed;
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const give = (tool: NamedTool, name: string): void => {
    names.set(keyOf(tool), name);
    taken.add(name);
  };
  let chosen: ReadonlyMap<string, string> | undefined;
  const known = distinct([...tools, ...calls]);
  for (const tool of known) if (isRight(tool, maximum)) give(tool, tool.name);
  for (const tool of known) {
    if (!names.has(keyOf(tool))) give(tool, buildName(tool, maximum, taken));
  }
  return {
    of: (name, namespace) => names.get(keyOf({ name, namespace })) ?? name,
    chosen: (name) => (chosen ??= chosenNames(tools, names)).get(name),
  };
}

/** What the answer must have back: renamed tools, and the custom ones that were wrapped. */
export function collectOriginalTools(
  turn: NeutralRequest,
  names: UpstreamToolNames,
  isWrapped: boolean,
): ReadonlyMap<string, OriginalTool> {
  if (turn.tools.length === 0) return emptyToolNameRestoreInfo.tools;
  const recalled = new Map<string, OriginalTool>();
  for (const { type: kind, name, namespace } of callableTools(turn)) {
    const given = names.of(name, namespace);
    const isItself = kind === "function" || (kind === "custom" && !isWrapped);
    if (!isItself || given !== name || namespace !== undefined) {
      recalled.set(given, { name, namespace, kind });
    }
  }
  return recalled;
}

/** The tools and those of `more` that are not among them, each once. */
export function mergeToolLists(
  tools: readonly NeutralTool[],
  more: readonly NeutralTool[],
): readonly NeutralTool[] {
  if (more.length === 0) return tools;
  const known = new Set(tools.map(identityOf));
  return [
    ...tools,
    ...more.filter((tool) => {
      const isNew = !known.has(identityOf(tool));
      known.add(identityOf(tool));
      return isNew;
    }),
  ];
}

/** A vendor's tool has its type for a name. */
function identityOf(tool: NeutralTool): string {
  return tool.type === "hosted" ? `\0${tool.name}` : keyOf(tool);
}

function callableTools(turn: NeutralRequest): readonly (FunctionTool | CustomTool)[] {
  return turn.tools.filter((tool) => tool.type !== "hosted");
}

function callsOf({ messages }: NeutralRequest): readonly NamedTool[] {
  const calls: NamedTool[] = [];
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call") calls.push(part);
  }
  return calls;
}

function isRight({ name, namespace }: NamedTool, maximum: number): boolean {
  return namespace === undefined && name.length <= maximum && legal.test(name);
}

/** The name of a tool in one word; an upstream's is the same, or begins like it. */
export function flattenToolName({ name, namespace }: NamedTool): string {
  return namespace === undefined ? name : `${namespace}__${name}`;
}

function buildName(tool: NamedTool, maximum: number, taken: ReadonlySet<string>): string {
  const wanted = flattenToolName(tool);
  if (wanted.length <= maximum && legal.test(wanted) && !taken.has(wanted)) return wanted;
  const hash = createHash("sha256").update(keyOf(tool)).digest("hex").slice(0, hashLength);
  return `${wanted.replaceAll(illegal, "_").slice(0, maximum - hashLength - 1)}_${hash}`;
}

/** By the name in a choice: of several tools of one name, that without a namespace, else the first. */
function chosenNames(
  tools: readonly NamedTool[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  for (const tool of tools) {
    const given = names.get(keyOf(tool));
    const isBetter = tool.namespace === undefined || !chosen.has(tool.name);
    if (given !== undefined && isBetter) chosen.set(tool.name, given);
  }
  return chosen;
}

/** A long history calls the same few tools again and again. */
function distinct(tools: readonly NamedTool[]): readonly NamedTool[] {
  return [...new Map(tools.map((tool) => [keyOf(tool), tool])).values()];
}

function keyOf({ name, namespace }: NamedTool): string {
  return namespace === undefined ? name : `${namespace}\0${name}`;
}
