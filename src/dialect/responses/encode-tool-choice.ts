import type { ToolChoice } from "../neutral-request.ts";
import { wireToolName } from "./encode-tools.ts";
import type { WireObject } from "./wire.ts";
import type { EncodingContext } from "./encoding-context.ts";

/** Throws 400 for a choice of what is not there. Without tools there is nothing to choose. */
export function encodeToolChoice(writing: EncodingContext): unknown {
  const { toolChoice: choice, tools, origin } = writing.request;
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
        : writing.warnings.reject(choice.path, "This upstream has no such choice of tools.");
  }
}

function choiceOf(name: string, choice: ToolChoice, writing: EncodingContext): WireObject {
  const tool = writing.request.tools.find(
    (other) => other.type !== "hosted" && other.name === name,
  );
  if (tool === undefined || tool.type === "hosted") return refuse(choice, writing);
  return { type: tool.type, name: wireToolName(tool, writing) };
}

function refuse({ path }: ToolChoice, { warnings: ledger }: EncodingContext): never {
  return ledger.reject(path, `\`${path}\` names a tool that \`tools\` does not declare.`);
}
