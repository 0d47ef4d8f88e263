import type { HostedTool, NeutralTool, NeutralToolChoice } from "../neutral-request.ts";
import { toResponsesWireToolName } from "./encode-tools.ts";
import type { ResponsesWireObject } from "./wire.ts";
import type { ResponsesRequestEncodingContext } from "./encoding-context.ts";

type CallableTool = Exclude<NeutralTool, HostedTool>;

/** Throws 400 for a choice of what is not there. Without tools there is nothing to choose. */
export function encodeResponsesToolChoice(writing: ResponsesRequestEncodingContext): unknown {
  const { toolChoice: choice, tools, origin } = writing.request;
  if (choice === undefined) return undefined;
  switch (choice.kind) {
    case "none":
    case "auto":
      return tools.length === 0 && origin !== "dialect_responses" ? undefined : choice.kind;
    case "required":
      return tools.length === 0 ? refuse(choice, writing) : "required";
    case "tool":
      return encodeNames([choice.name], choice, writing)[0];
    case "allowed": {
      const chosen = encodeNames(choice.names, choice, writing);
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

function encodeNames(
  names: readonly string[],
  choice: NeutralToolChoice,
  writing: ResponsesRequestEncodingContext,
): readonly ResponsesWireObject[] {
  const tools = indexCallableTools(writing.request.tools);
  return names.map((name) => {
    const tool = tools.get(name);
    if (tool === undefined) return refuse(choice, writing);
    return { type: tool.type, name: toResponsesWireToolName(tool, writing) };
  });
}

/** By name; the first of several tools of one name counts. */
function indexCallableTools(tools: readonly NeutralTool[]): ReadonlyMap<string, CallableTool> {
  const byName = new Map<string, CallableTool>();
  for (const tool of tools) {
    if (tool.type !== "hosted" && !byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return byName;
}

function refuse(
  { path }: NeutralToolChoice,
  { warnings: ledger }: ResponsesRequestEncodingContext,
): never {
  return ledger.reject(path, `\`${path}\` names a tool that \`tools\` does not declare.`);
}
