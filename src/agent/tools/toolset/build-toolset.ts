import { setImmediate as nextTurn } from "node:timers/promises";
import type { AgentToolsetSnapshot, AgentToolDefinition } from "../../../domain/agent-turn.ts";
import type { AgentExtensionsByKind } from "../../../domain/agent-items.ts";
import { describeMcpServerError, McpServerError } from "../mcp/mcp-server-error.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import { appendAll } from "../../../platform/append-all.ts";
import type { BuiltInTool } from "../built-in-tool.ts";
import type { McpServerQueryResult } from "./queried-server.ts";
import { selectDeclaredToolsForModel } from "./declared-tools.ts";
import { UniqueToolNameAllocator } from "./unique-name.ts";
import { formatToolNamesNote, formatToolNotes } from "./notes.ts";
import { sanitizeToolText } from "./plain-text.ts";
import {
  maxTotalToolSchemaCharacters,
  maxToolsPerModelCall,
  countToolDefinitionCharacters,
} from "./limit-listing.ts";
import { buildMcpToolListings } from "./server-listing.ts";
import { assignSkillSlugs, skillToolParameters, formatSkillList } from "./skills.ts";
import { createMcpToolNamer, type McpToolReference } from "./tool-names.ts";
import type { ListedMcpTool } from "./listed-mcp-tool.ts";
import type { McpServerToolPolicy } from "./tool-policy.ts";

export interface AgentToolsetSources {
  readonly items: AgentExtensionsByKind;
  /** Tools of the request. */
  readonly declared: readonly JsonObject[];
  /** Tools of dependency health. */
  readonly builtIn: readonly BuiltInTool[];
  /** Those that the request declares stand before those of items. */
  readonly servers: readonly McpServerQueryResult[];
  /** How many servers there are beyond those that are asked. */
  readonly skippedServers: number;
}

/** Name of the tool that reads a skill. */
export const skillToolName = "read_skill";

/**
 * Puts together what an agent works with: tools of ours, those that the request
 * declares, those of the servers that it declares, those of the servers in the order of
 * items and names, 128 at most. Equal parts give the same outfit, byte for byte. Other work
 * of the process runs between the servers.
 */
export async function buildAgentToolset(parts: AgentToolsetSources): Promise<AgentToolsetSnapshot> {
  const declared = selectDeclaredToolsForModel(parts.declared);
  // A declared tool keeps its name: its caller knows it by no other.
  const names = new UniqueToolNameAllocator(declared.tools.map(({ name }) => name));
  const { tools: own, skills } = builtInTools(parts, names);
  const fixed = [...own, ...declared.tools];
  const listed = listServerTools(parts.servers);
  const nameOf = createMcpToolNamer(listed, names);
  const count = countOfferable(listed, maxToolsPerModelCall - fixed.length);
  const offered = [
    ...fixed.slice(0, maxToolsPerModelCall),
    ...listed.slice(0, count).map((tool) => offerServerTool(tool, nameOf(tool))),
  ];
  const left = [...fixed.slice(maxToolsPerModelCall), ...listed.slice(count)];
  const limitNotes = formatToolNamesNote(
    left,
    `are not offered, because at most ${maxToolsPerModelCall} are`,
    (tool) => ("name" in tool ? tool.name : nameOf(tool)),
  );
  const notes = formatToolNotes([
    ...declared.notes,
    ...(await describeServers(parts.servers)),
    ...(parts.skippedServers === 0
      ? []
      : [`${parts.skippedServers} further MCP servers are not asked.`]),
    ...limitNotes,
    ...describeOmittedItems(parts.items.omitted),
  ]);
  const rules = parts.items.rules.map(({ text }) => text);
  const texts = [...rules, skills, notes].filter((text) => text !== undefined);
  const listings = buildMcpToolListings(parts.servers, offered);
  return { instructions: texts, tools: offered, ...(listings.length > 0 && { listings }) };
}

function builtInTools(
  { items, builtIn: own }: AgentToolsetSources,
  names: UniqueToolNameAllocator,
): { readonly tools: AgentToolDefinition[]; readonly skills: string | undefined } {
  const skills = assignSkillSlugs(items.skills);
  const offer = (
    tool: string,
    description: string,
    parameters: JsonObject,
  ): AgentToolDefinition => {
    const name = names.create(names.has(tool) ? `causeway__${tool}` : tool);
    return { name, description, parameters, source: { kind: "own", tool } };
  };
  const reads = "Reads a skill: instructions for a task that its description names.";
  const reader =
    skills.length === 0 ? [] : [offer(skillToolName, reads, skillToolParameters(skills))];
  const others = own.map(({ name, description, parameters }) =>
    offer(name, description, parameters),
  );
  const text = formatSkillList(skills, reader[0]?.name ?? skillToolName);
  return { tools: [...reader, ...others], skills: text };
}

/** A tool that a server lists and its policy allows. */
interface ServerTool extends McpToolReference {
  readonly policy: McpServerToolPolicy;
  readonly listed: ListedMcpTool;
}

function listServerTools(servers: readonly McpServerQueryResult[]): readonly ServerTool[] {
  return servers.flatMap(({ policy, label: server, result }) =>
    result instanceof McpServerError
      ? []
      : result.tools.map((listed) => ({ policy, server, tool: listed.name, listed })),
  );
}

function offerServerTool(
  { policy, server, tool, listed }: ServerTool,
  name: string,
): AgentToolDefinition {
  return {
    name,
    description: listed.description,
    parameters: listed.parameters,
    source: {
      kind: "mcp",
      itemId: policy.itemId,
      declaredUrl: policy.declaredUrl,
      server,
      tool,
      mayRepeat: listed.canRetry,
      needsApproval: policy.needsApproval(listed),
    },
  };
}

/** How many of the first tools fit into the limits, `places` at most. */
function countOfferable(tools: readonly ServerTool[], places: number): number {
  let [room, count] = [maxTotalToolSchemaCharacters, 0];
  for (const { listed } of tools) {
    if (count >= places) break;
    room -= countToolDefinitionCharacters(listed);
    if (room < 0) break;
    count += 1;
  }
  return count;
}

function describeOmittedItems({ rules, skills }: AgentExtensionsByKind["omitted"]): string[] {
  const why = "left out, because all together are longer than 1 MiB";
  return [
    ...(rules === 0 ? [] : [`${rules} further rules are ${why}.`]),
    ...(skills === 0 ? [] : [`${skills} further skills are ${why}.`]),
  ];
}

async function describeServers(servers: readonly McpServerQueryResult[]): Promise<string[]> {
  const notes: string[] = [];
  for (const server of servers) {
    appendAll(notes, serverNotes(server));
    await nextTurn();
  }
  return notes;
}

function serverNotes({ policy: rules, label, result: answer }: McpServerQueryResult): string[] {
  if (answer instanceof McpServerError) {
    return [
      `The MCP server \`${label}\` ${describeMcpServerError(answer)}: its tools are missing.`,
    ];
  }
  const about = rules.description === undefined ? [] : [aboutServer(label, rules.description)];
  const what = `of the MCP server \`${label}\` cannot be offered: their schemas are too large or describe no object`;
  return [...about, ...formatToolNamesNote(answer.omitted, what, String)];
}

const maxDescriptionLength = 1024;

function aboutServer(label: string, description: string): string {
  return `The MCP server \`${label}\`: ${sanitizeToolText(description, maxDescriptionLength)}`;
}
