import type { AgentToolDefinition } from "../../../domain/agent-turn.ts";
import { isJsonObject, type JsonObject } from "../../../platform/json-value.ts";
import { formatToolNamesNote } from "./notes.ts";

/** The tools that a request declares, as a model is offered them. */
export interface DeclaredToolsForModel {
  readonly tools: readonly AgentToolDefinition[];
  readonly notes: readonly string[];
}

/** Reads tools of the responses dialect. Of two with the same name the first is offered. */
export function selectDeclaredToolsForModel(
  declared: readonly JsonObject[],
): DeclaredToolsForModel {
  const tools = new Map<string, AgentToolDefinition>();
  const repeated: string[] = [];
  for (const tool of declared) {
    const name = declaredName(tool);
    if (tools.has(name)) repeated.push(name);
    else tools.set(name, offerTool(name, tool));
  }
  const notes = formatToolNamesNote(
    repeated,
    "are declared twice, and offered as they are declared first",
    String,
  );
  return { tools: [...tools.values()], notes };
}

/** A hosted tool has a type and no name. */
function declaredName({ name, type }: JsonObject): string {
  return [name, type].find((text) => typeof text === "string") ?? "tool";
}

function offerTool(name: string, tool: JsonObject): AgentToolDefinition {
  const { description, parameters } = tool;
  return {
    name,
    description: typeof description === "string" ? description : undefined,
    parameters: isJsonObject(parameters) ? parameters : {},
    source: { kind: "declared", tool },
  };
}
