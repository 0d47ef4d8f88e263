import type { ToolChoice } from "../turn.ts";
import { nameOf } from "./encode-tools.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** Throws 400 for a choice of what is not there. Without tools there is nothing to choose. */
export function encodeToolChoice(writing: Writing): unknown {
  const { toolChoice: choice, tools, origin } = writing.turn;
  if (choice === undefined) return undefined;
  switch (choice.kind) {
    case "none":
    case "auto":
      return tools.length === 0 && origin !== "dialect_responses" ? undefined : choice.kind;
    case "required":
      return tools.length === 0 ? refuse(choice, writing) : "required";
    case "tool":
      return choiceOf(choice.name, choice, writing);
    case "allowed": {
      const chosen = choice.names.map((name) => choiceOf(name, choice, writing));
      return {
        type: "allowed_tools",
        mode: choice.isRequired ? "required" : "auto",
        tools: chosen,
      };
    }
    case "opaque":
      return choice.dialect === "dialect_responses"
        ? choice.raw
        : writing.ledger.refuse(choice.path, "This upstream has no such choice of tools.");
  }
}

function choiceOf(name: string, choice: ToolChoice, writing: Writing): WireObject {
  const tool = writing.turn.tools.find((other) => other.type !== "hosted" && other.name === name);
  if (tool === undefined || tool.type === "hosted") return refuse(choice, writing);
  return { type: tool.type, name: nameOf(tool, writing) };
}

function refuse({ path }: ToolChoice, { ledger }: Writing): never {
  return ledger.refuse(path, `\`${path}\` names a tool that \`tools\` does not declare.`);
}
