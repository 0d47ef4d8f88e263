import type { NeutralTool, NeutralToolChoice } from "../neutral-request.ts";
import type { ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/** The choice, and the tools that are left to choose from. */
export interface ChatEncodedToolChoice {
  readonly choice: unknown;
  readonly tools: readonly NeutralTool[];
}

/** Throws 400 for a choice of what is not there. Without tools there is nothing to choose. */
export function encodeChatToolChoice(writing: ChatRequestEncodingContext): ChatEncodedToolChoice {
  const { toolChoice: choice, tools } = writing.request;
  if (choice === undefined) return { choice: undefined, tools };
  switch (choice.kind) {
    case "none":
    case "auto":
      return { choice: tools.length === 0 ? undefined : choice.kind, tools };
    case "required":
      return { choice: tools.length === 0 ? refuse(choice, writing) : "required", tools };
    case "tool":
      return { choice: encodeNames([choice.name], choice, writing)[0], tools };
    case "allowed":
      return encodeAllowed(choice, writing);
    case "opaque":
      return { choice: opaque(choice, writing), tools };
  }
}

function encodeNames(
  names: readonly string[],
  choice: NeutralToolChoice,
  writing: ChatRequestEncodingContext,
): readonly ChatWireObject[] {
  const types = typesByName(writing.request.tools);
  return names.map((name) => {
    const given = writing.names.chosen(name);
    if (given === undefined) return refuse(choice, writing);
    return types.get(name) === "custom" && writing.capabilities.firstParty
      ? { type: "custom", custom: { name: given } }
      : { type: "function", function: { name: given } };
  });
}

/** The first of several tools of one name counts. */
function typesByName(tools: readonly NeutralTool[]): ReadonlyMap<string, NeutralTool["type"]> {
  const types = new Map<string, NeutralTool["type"]>();
  for (const { type, name } of tools) {
    if (type !== "hosted" && !types.has(name)) types.set(name, type);
  }
  return types;
}

/** Servers that do not know the list get the allowed tools alone. */
function encodeAllowed(
  choice: Extract<NeutralToolChoice, { kind: "allowed" }>,
  writing: ChatRequestEncodingContext,
): ChatEncodedToolChoice {
  const { tools } = writing.request;
  const chosen = encodeNames(choice.names, choice, writing);
  const mode = choice.isRequired ? "required" : "auto";
  if (writing.capabilities.firstParty) {
    const allowed_tools = { mode, tools: chosen };
    return { choice: { type: "allowed_tools", allowed_tools }, tools };
  }
  const names = new Set(choice.names);
  const left = tools.filter((tool) => tool.type !== "hosted" && names.has(tool.name));
  return left.length === 0 ? { choice: "none", tools } : { choice: mode, tools: left };
}

function opaque(
  choice: Extract<NeutralToolChoice, { kind: "opaque" }>,
  { warnings: ledger }: ChatRequestEncodingContext,
): unknown {
  return choice.dialect === "dialect_chat"
    ? choice.raw
    : ledger.reject(choice.path, "This upstream has no such choice of tools.");
}

function refuse(
  { path }: NeutralToolChoice,
  { warnings: ledger }: ChatRequestEncodingContext,
): never {
  return ledger.reject(path, `\`${path}\` names a tool that \`tools\` does not declare.`);
}
