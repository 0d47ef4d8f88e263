import type { AgentToolsetSnapshot, OfferedTool } from "../../../domain/agent-turn.ts";
import type { AgentItemsByKind } from "../../../domain/agent-items.ts";
import { describeMcpServerError, McpServerError } from "../mcp/mcp-server-error.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import type { BuiltInTool } from "../built-in-tool.ts";
import type { QueriedMcpServer } from "./queried-server.ts";
import { offerDeclaredTools } from "./declared-tools.ts";
import { UniqueNames } from "./unique-name.ts";
import { formatNoteListingToolNames, formatToolNotes } from "./notes.ts";
import { sanitizeText } from "./plain-text.ts";
import { maxCharacters, maxTools, toolCharacters } from "./limit-listing.ts";
import { buildMcpToolListings } from "./server-listing.ts";
import { assignSkillSlugs, skillToolParameters, formatSkills } from "./skills.ts";
import { assignToolNames } from "./tool-names.ts";

export interface ToolsetSources {
  readonly items: AgentItemsByKind;
  /** Tools of the request. */
  readonly declared: readonly JsonObject[];
  /** Tools of dependency health. */
  readonly builtIn: readonly BuiltInTool[];
  /** Those that the request declares stand before those of items. */
  readonly servers: readonly QueriedMcpServer[];
  /** How many servers there are beyond those that are asked. */
  readonly skippedServers: number;
}

/** Name of the tool that reads a skill. */
export const skillToolName = "read_skill";

/**
 * Puts together what an agent works with: tools of ours, those that the request
 * declares, those of the servers that it declares, those of the servers in the order of
 * items and names, 128 at most. Equal parts give the same outfit, byte for byte.
 */
export function buildToolset(parts: ToolsetSources): AgentToolsetSnapshot {
  const declared = offerDeclaredTools(parts.declared);
  // A declared tool keeps its name: its caller knows it by no other.
  const names = new UniqueNames(declared.tools.map(({ name }) => name));
  const { tools: own, skills } = builtInTools(parts, names);
  const ofServers = serversTools(parts.servers, names);
  const all = [...own, ...declared.tools, ...ofServers];
  const offered = withinLimits(all);
  const left = all.filter((tool) => !offered.includes(tool)).map(({ name }) => name);
  const notes = formatToolNotes([
    ...declared.notes,
    ...parts.servers.flatMap(serverNotes),
    ...(parts.skippedServers === 0
      ? []
      : [`${parts.skippedServers} further MCP servers are not asked.`]),
    ...formatNoteListingToolNames(left, `are not offered, because at most ${maxTools} are`),
  ]);
  const rules = parts.items.rules.map(({ text }) => text);
  const texts = [...rules, skills, notes].filter((text) => text !== undefined);
  const listings = buildMcpToolListings(parts.servers, offered);
  return { instructions: texts, tools: offered, ...(listings.length > 0 && { listings }) };
}

function builtInTools(
  { items, builtIn: own }: ToolsetSources,
  names: UniqueNames,
): { readonly tools: OfferedTool[]; readonly skills: string | undefined } {
  const skills = assignSkillSlugs(items.skills);
  const offer = (tool: string, description: string, parameters: JsonObject): OfferedTool => {
    const name = names.create(names.has(tool) ? `causeway__${tool}` : tool);
    return { name, description, parameters, source: { kind: "own", tool } };
  };
  const reads = "Reads a skill: instructions for a task that its description names.";
  const reader =
    skills.length === 0 ? [] : [offer(skillToolName, reads, skillToolParameters(skills))];
  const others = own.map(({ name, description, parameters }) =>
    offer(name, description, parameters),
  );
  const text = formatSkills(skills, reader[0]?.name ?? skillToolName);
  return { tools: [...reader, ...others], skills: text };
}

function serversTools(
  servers: readonly QueriedMcpServer[],
  uniqueNames: UniqueNames,
): OfferedTool[] {
  const tools = servers.flatMap(({ policy: rules, label, result: answer }) => {
    if (answer instanceof McpServerError) return [];
    const usable = answer.tools.filter((tool) => rules.isAllowed(tool));
    return usable.map((tool) => ({ rules, server: label, tool: tool.name, described: tool }));
  });
  const names = assignToolNames(tools, uniqueNames);
  return tools.map(({ rules, server, tool, described }, index) => ({
    name: names[index] ?? tool,
    description: described.description,
    parameters: described.parameters,
    source: {
      kind: "mcp",
      itemId: rules.itemId,
      declaredUrl: rules.declaredUrl,
      server,
      tool,
      mayRepeat: described.canRetry,
      needsApproval: rules.needsApproval(described),
    },
  }));
}

function withinLimits(tools: readonly OfferedTool[]): OfferedTool[] {
  let left = maxCharacters;
  const small = tools.filter((tool) => {
    if (tool.source.kind !== "mcp") return true;
    left -= toolCharacters(tool);
    return left >= 0;
  });
  return small.slice(0, maxTools);
}

function serverNotes({ policy: rules, label, result: answer }: QueriedMcpServer): string[] {
  if (answer instanceof McpServerError) {
    return [
      `The MCP server \`${label}\` ${describeMcpServerError(answer)}: its tools are missing.`,
    ];
  }
  const names = answer.omitted.filter((name) => rules.isAllowed({ name }));
  const about = rules.description === undefined ? [] : [aboutServer(label, rules.description)];
  const what = `of the MCP server \`${label}\` cannot be offered: their schemas are too large or describe no object`;
  return [...about, ...formatNoteListingToolNames(names, what)];
}

const maxDescriptionLength = 1024;

function aboutServer(label: string, description: string): string {
  return `The MCP server \`${label}\`: ${sanitizeText(description, maxDescriptionLength)}`;
}
