import type { AgentOutfit, OfferedTool } from "../../../kernel/agent-turn.ts";
import type { GivenItems } from "../../../kernel/given-items.ts";
import { faultWords, McpFault } from "../mcp/mcp-fault.ts";
import type { JsonObject } from "../../../platform/json-value.ts";
import type { OwnTool } from "../own-tool.ts";
import type { AskedServer } from "./asked-server.ts";
import { declaredTools } from "./declared-tools.ts";
import { freeName } from "./free-name.ts";
import { namesNote, notesText } from "./notes.ts";
import { plainText } from "./plain-text.ts";
import { serverListings } from "./server-listing.ts";
import { offeredSkills, skillParameters, skillsText } from "./skills.ts";
import { freeToolNames } from "./tool-names.ts";

export interface OutfitParts {
  readonly items: GivenItems;
  /** Tools of the request. */
  readonly declared: readonly JsonObject[];
  /** Tools of dependency health. */
  readonly own: readonly OwnTool[];
  /** Those that the request declares stand before those of items. */
  readonly servers: readonly AskedServer[];
  /** How many servers there are beyond those that are asked. */
  readonly unasked: number;
}

/** Tools that one call of a model is offered (docs/agent-tools.md#what-is-offered). */
const mostTools = 128;
/** Characters of all schemas and descriptions of servers together. */
const mostCharacters = 512 * 1024;

/** Name of the tool that reads a skill. */
export const skillTool = "read_skill";

/**
 * Puts together what an agent works with: tools of ours, those that the request
 * declares, those of the servers that it declares, those of the servers in the order of
 * items and names, 128 at most. Equal parts give the same outfit, byte for byte.
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
  const listings = serverListings(parts.servers);
  return { instructions: texts, tools: offered, ...(listings.length > 0 && { listings }) };
}

function ownTools(
  { items, own }: OutfitParts,
  taken: Set<string>,
): { readonly tools: OfferedTool[]; readonly skills: string | undefined } {
  const skills = offeredSkills(items.skills);
  const offer = (tool: string, description: string, parameters: JsonObject): OfferedTool => {
    const name = taken.has(tool) ? freeName(`causeway__${tool}`, taken) : freeName(tool, taken);
    return { name, description, parameters, source: { kind: "own", tool } };
  };
  const reads = "Reads a skill: instructions for a task that its description names.";
  const reader = skills.length === 0 ? [] : [offer(skillTool, reads, skillParameters(skills))];
  const others = own.map(({ name, description, parameters }) =>
    offer(name, description, parameters),
  );
  const text = skillsText(skills, reader[0]?.name ?? skillTool);
  return { tools: [...reader, ...others], skills: text };
}

function serversTools(servers: readonly AskedServer[], taken: ReadonlySet<string>): OfferedTool[] {
  const tools = servers.flatMap(({ rules, label, answer }) => {
    if (answer instanceof McpFault) return [];
    const usable = answer.tools.filter((tool) => rules.mayUse(tool));
    return usable.map((tool) => ({ rules, server: label, tool: tool.name, described: tool }));
  });
  const names = freeToolNames(tools, taken);
  return tools.map(({ rules, server, tool, described }, index) => ({
    name: names[index] ?? tool,
    description: described.description,
    parameters: described.parameters,
    source: {
      kind: "mcp",
      itemId: rules.itemId,
      server,
      tool,
      mayRepeat: described.mayRepeat,
      needsApproval: rules.needsApproval(described),
    },
  }));
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

function serverNotes({ rules, label, answer }: AskedServer): string[] {
  if (answer instanceof McpFault) {
    return [`The MCP server \`${label}\` ${faultWords(answer)}: its tools are missing.`];
  }
  const names = answer.leftOut.filter((name) => rules.mayUse({ name }));
  const about = rules.description === undefined ? [] : [aboutServer(label, rules.description)];
  const what = `of the MCP server \`${label}\` cannot be offered: their schemas are too large or describe no object`;
  return [...about, ...namesNote(names, what)];
}

const longestDescription = 1024;

function aboutServer(label: string, description: string): string {
  return `The MCP server \`${label}\`: ${plainText(description, longestDescription)}`;
}
