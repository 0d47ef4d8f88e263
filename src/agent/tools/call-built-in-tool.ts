import type { AgentItemOwner, AgentToolCall, AgentToolResult } from "../../domain/agent-turn.ts";
import type { AgentItemsByKind } from "../../domain/agent-items.ts";
import { createToolErrorResult } from "../tool-error.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { skillToolName } from "./toolset/build-toolset.ts";
import { assignSkillSlugs } from "./toolset/skills.ts";
import type { BuiltInTool } from "./built-in-tool.ts";

/** What tools of ours are found in. */
interface BuiltInToolDependencies {
  readonly builtInTools: readonly BuiltInTool[];
  readonly agentItems: (receiver: AgentItemOwner) => Promise<AgentItemsByKind>;
}

/** Answers a call of a tool of ours. What it refuses is a result. */
export async function callBuiltInTool(
  { builtInTools, agentItems: givenItems }: BuiltInToolDependencies,
  { receiver, signal }: Pick<AgentToolCall, "receiver" | "signal">,
  name: string,
  input: JsonObject,
): Promise<AgentToolResult> {
  if (name === skillToolName) {
    const { skills } = await givenItems(receiver);
    return skillText(assignSkillSlugs(skills), input["name"]);
  }
  const tool = builtInTools.find((candidate) => candidate.name === name);
  if (tool === undefined) return createToolErrorResult("There is no such tool any more.");
  const { text, isError } = await tool.call(input, signal);
  return { output: [{ type: "input_text", text }], isError };
}

function skillText(skills: ReturnType<typeof assignSkillSlugs>, name: unknown): AgentToolResult {
  const skill = skills.find(({ slug }) => slug === name);
  if (skill !== undefined) {
    return { output: [{ type: "input_text", text: skill.text }], isError: false };
  }
  const names = skills.map(({ slug }) => slug).join(", ");
  return createToolErrorResult(
    `There is no skill of this name. These there are: ${names || "none"}.`,
  );
}
