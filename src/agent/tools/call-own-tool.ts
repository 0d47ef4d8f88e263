import type { AgentReceiver, ToolCall, ToolResult } from "../../kernel/agent-turn.ts";
import type { GivenItems } from "../../kernel/given-items.ts";
import { toolError } from "../tool-error.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { skillTool } from "./outfit/assemble-outfit.ts";
import { offeredSkills } from "./outfit/skills.ts";
import type { OwnTool } from "./own-tool.ts";

/** What tools of ours are found in. */
interface OwnToolDependencies {
  readonly own: readonly OwnTool[];
  readonly givenItems: (receiver: AgentReceiver) => Promise<GivenItems>;
}

/** Answers a call of a tool of ours. What it refuses is a result. */
export async function callOwnTool(
  { own, givenItems }: OwnToolDependencies,
  { receiver, signal }: Pick<ToolCall, "receiver" | "signal">,
  name: string,
  input: JsonObject,
): Promise<ToolResult> {
  if (name === skillTool) {
    const { skills } = await givenItems(receiver);
    return skillText(offeredSkills(skills), input["name"]);
  }
  const tool = own.find((candidate) => candidate.name === name);
  if (tool === undefined) return toolError("There is no such tool any more.");
  const { text, isError } = await tool.call(input, signal);
  return { output: [{ type: "input_text", text }], isError };
}

function skillText(skills: ReturnType<typeof offeredSkills>, name: unknown): ToolResult {
  const skill = skills.find(({ slug }) => slug === name);
  if (skill !== undefined) {
    return { output: [{ type: "input_text", text: skill.text }], isError: false };
  }
  const names = skills.map(({ slug }) => slug).join(", ");
  return toolError(`There is no skill of this name. These there are: ${names || "none"}.`);
}
