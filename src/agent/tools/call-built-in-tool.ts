import type { AgentToolCall, AgentToolResult } from "../../domain/agent-turn.ts";
import type { AccountAgentExtensionReader } from "../../domain/agent-items.ts";
import { ApiError } from "../../platform/errors.ts";
import { noopMemoryReserver } from "../../platform/hold-memory.ts";
import { createAgentToolErrorResult } from "../tool-error.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { skillToolName } from "./toolset/build-toolset.ts";
import { assignSkillSlugs } from "./toolset/skills.ts";
import type { BuiltInTool } from "./built-in-tool.ts";

/** What tools of ours are found in. */
interface BuiltInToolDependencies {
  readonly builtInTools: readonly BuiltInTool[];
  readonly items: Pick<AccountAgentExtensionReader, "listSkillNames" | "findSkillText">;
}

/** Answers a call of a tool of ours. What it refuses is a result. */
export async function callBuiltInTool(
  { builtInTools, items }: BuiltInToolDependencies,
  call: Pick<AgentToolCall, "receiver" | "signal" | "hold">,
  name: string,
  input: JsonObject,
): Promise<AgentToolResult> {
  if (name === skillToolName) return readSkill(items, call, input["name"]);
  const tool = builtInTools.find((candidate) => candidate.name === name);
  if (tool === undefined) return createAgentToolErrorResult("There is no such tool any more.");
  const { text, isError } = await tool.call(input, call.signal);
  return { output: [{ type: "input_text", text }], isError };
}

async function readSkill(
  items: BuiltInToolDependencies["items"],
  { receiver, hold = noopMemoryReserver }: Pick<AgentToolCall, "receiver" | "hold">,
  name: unknown,
): Promise<AgentToolResult> {
  const skills = assignSkillSlugs(await items.listSkillNames(receiver));
  const skill = skills.find(({ slug }) => slug === name);
  if (skill === undefined) return unknownSkillResult(skills.map(({ slug }) => slug));
  try {
    const text = await items.findSkillText(receiver, skill.id, hold);
    if (text === undefined) return createAgentToolErrorResult("There is no such skill any more.");
    return { output: [{ type: "input_text", text }], isError: false };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return createAgentToolErrorResult(
      "The skill is longer than the other calls of this account leave room for: make fewer at once.",
    );
  }
}

function unknownSkillResult(slugs: readonly string[]): AgentToolResult {
  const names = slugs.join(", ");
  return createAgentToolErrorResult(
    `There is no skill of this name. These there are: ${names || "none"}.`,
  );
}
