import type { Tool, ToolChoice } from "../turn.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** The choice, and the tools that are left to choose from. */
export interface EncodedChoice {
  readonly choice: unknown;
  readonly tools: readonly Tool[];
}

/** Throws 400 for a choice of what is not there. Without tools there is nothing to choose. */
export function encodeToolChoice(writing: Writing): EncodedChoice {
  const { toolChoice: choice, tools } = writing.turn;
  if (choice === undefined) return { choice: undefined, tools };
  switch (choice.kind) {
    case "none":
    case "auto":
      return { choice: tools.length === 0 ? undefined : choice.kind, tools };
    case "required":
      return { choice: tools.length === 0 ? refuse(choice, writing) : "required", tools };
    case "tool":
      return { choice: nameOf(choice.name, choice, writing), tools };
    case "allowed":
      return encodeAllowed(choice, writing);
    case "opaque":
      return { choice: opaque(choice, writing), tools };
  }
}

function nameOf(name: string, choice: ToolChoice, writing: Writing): WireObject {
  const given = writing.names.chosen(name);
  if (given === undefined) return refuse(choice, writing);
  const tool = writing.turn.tools.find((other) => other.type !== "hosted" && other.name === name);
  return tool?.type === "custom" && writing.capabilities.firstParty
    ? { type: "custom", custom: { name: given } }
    : { type: "function", function: { name: given } };
}

/** Servers that do not know the list get the allowed tools alone. */
function encodeAllowed(
  choice: Extract<ToolChoice, { kind: "allowed" }>,
  writing: Writing,
): EncodedChoice {
  const { tools } = writing.turn;
  const chosen = choice.names.map((name) => nameOf(name, choice, writing));
  const mode = choice.isRequired ? "required" : "auto";
  if (writing.capabilities.firstParty) {
    const allowed_tools = { mode, tools: chosen };
    return { choice: { type: "allowed_tools", allowed_tools }, tools };
  }
  const names = new Set(choice.names);
  const left = tools.filter((tool) => tool.type !== "hosted" && names.has(tool.name));
  return left.length === 0 ? { choice: "none", tools } : { choice: mode, tools: left };
}

function opaque(choice: Extract<ToolChoice, { kind: "opaque" }>, { ledger }: Writing): unknown {
  return choice.dialect === "dialect_chat"
    ? choice.raw
    : ledger.refuse(choice.path, "This upstream has no such choice of tools.");
}

function refuse({ path }: ToolChoice, { ledger }: Writing): never {
  return ledger.refuse(path, `\`${path}\` names a tool that \`tools\` does not declare.`);
}
