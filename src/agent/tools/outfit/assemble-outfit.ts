import type { AgentOutfit, OfferedTool } from "../../../kernel/agent-turn.ts";
import type { GivenItems, GivenMcpServer } from "../../../kernel/given-items.ts";
import { matchesPattern } from "../../../platform/star-pattern.ts";
import { faultWords, McpFault } from "../mcp/mcp-fault.ts";
import type { JsonRecord } from "../mcp/pruned-result.ts";
import type { OwnTool } from "../own-tool.ts";
import { declaredTools } from "./declared-tools.ts";
import { freeName } from "./free-name.ts";
import { namesNote, notesText } from "./notes.ts";
import type { ServerTools } from "./server-tool.ts";
import { offeredSkills, skillParameters, skillsText } from "./skills.ts";
import { toolNames } from "./tool-names.ts";

/** What a server was asked for and answered. */
export interface AskedServer {
  readonly item: GivenMcpServer;
  readonly label: string;
  readonly answer: ServerTools | McpFault;
}

export interface OutfitParts {
  readonly items: GivenItems;
  /** Tools of the request. */
  readonly declared: readonly JsonRecord[];
  /** Tools of dependency health. */
  readonly own: readonly OwnTool[];
  readonly servers: readonly AskedServer[];
  /** How many servers there are beyond those that are asked. */
  readonly unasked: number;
}

/** Contract section 8. */
const mostTools = 128;
/** Characters of all schemas and descriptions of servers together. */
const mostCharacters = 512 * 1024;

/** Name of the tool that reads a skill. */
export const readSkill = "read_skill";

/**
 * Puts together what an agent works with: tools of ours, those that the request
 * declares, those of the servers in the order of items and names, 128 at most. Equal
 * parts give the same outfit, byte for byte.
 */
export function assembleOutfit(parts: OutfitParts): AgentOutfit {
  const declared = declaredTools(parts.declared);
  // A declared tool keeps its name: its caller knows it by no other.
  const taken = new Set(declared.tools.map(({ name }) => name));
  const { tools: own, skills } = ownTools(parts, taken);
  const ofServers = serversTools(parts.servers, taken);
  const all = [...own, ...declared.tools, ...ofServers];
  const offered = withinLimits(all);
  const left = all.filter((tool) => !offered.includes(tool)).map(({ name }) => name);
  const notes = notesText([
    ...declared.notes,
    ...parts.servers.flatMap(serverNotes),
    ...(parts.unasked === 0 ? [] : [`${parts.unasked} further MCP servers are not asked.`]),
    ...namesNote(left, `are not offered, because at most ${mostTools} are`),
  ]);
  const rules = parts.items.rules.map(({ text }) => text);
  const texts = [...rules, skills, notes].filter((text) => text !== undefined);
  return { instructions: texts, tools: offered };
}

function ownTools(
  { items, own }: OutfitParts,
  taken: Set<string>,
): { readonly tools: OfferedTool[]; readonly skills: string | undefined } {
  const skills = offeredSkills(items.skills);
  const offer = (tool: string, description: string, parameters: JsonRecord): OfferedTool => {
    const name = taken.has(tool) ? freeName(`causeway__${tool}`, taken) : freeName(tool, taken);
    return { name, description, parameters, source: { kind: "own", tool } };
  };
  const reads = "Reads a skill: instructions for a task that its description names.";
  const reader = skills.length === 0 ? [] : [offer(readSkill, reads, skillParameters(skills))];
  const others = own.map(({ name, description, parameters }) =>
    offer(name, description, parameters),
  );
  const text = skillsText(skills, reader[0]?.name ?? readSkill);
  return { tools: [...reader, ...others], skills: text };
}

function serversTools(servers: readonly AskedServer[], taken: ReadonlySet<string>): OfferedTool[] {
  const tools = servers.flatMap(({ item, label, answer }) => {
    if (answer instanceof McpFault) return [];
    const usable = answer.tools.filter(({ name }) => mayUse(item, name));
    return usable.map((tool) => ({ item, server: label, tool: tool.name, described: tool }));
  });
  const names = toolNames(tools, taken);
  return tools.map(({ item, server, tool, described }, index) => ({
    name: names[index] ?? tool,
    description: described.description,
    parameters: described.parameters,
    source: {
      kind: "mcp",
      itemId: item.id,
      server,
      tool,
      mayRepeat: described.mayRepeat,
      needsApproval: item.needsApproval,
    },
  }));
}

/** Whether the owner of a server lets the agent use a tool of it. */
export function mayUse({ tools }: Pick<GivenMcpServer, "tools">, name: string): boolean {
  return tools.length === 0 || tools.some((pattern) => matchesPattern(pattern, name));
}

function withinLimits(tools: readonly OfferedTool[]): OfferedTool[] {
  let left = mostCharacters;
  const small = tools.filter(({ source, description = "", parameters }) => {
    if (source.kind !== "mcp") return true;
    left -= description.length + JSON.stringify(parameters).length;
    return left >= 0;
  });
  return small.slice(0, mostTools);
}

function serverNotes({ item, label, answer }: AskedServer): string[] {
  if (answer instanceof McpFault) {
    return [`The MCP server \`${label}\` ${faultWords(answer)}: its tools are missing.`];
  }
  const names = answer.leftOut.filter((name) => mayUse(item, name));
  return namesNote(
    names,
    `of the MCP server \`${label}\` cannot be offered: their schemas are too large or describe no object`,
  );
}
