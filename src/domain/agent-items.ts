import type { MemoryReserver } from "../platform/hold-memory.ts";
import type { AgentExtensionOwner } from "./agent-turn.ts";

/** Text that the agent always follows. */
export interface AgentRulesExtension {
  readonly id: string;
  readonly text: string;
}

/** Text that the agent reads when its description fits; the text itself is read by id. */
export interface AgentSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** A server whose tools the agent may use. Dial it through the checked dialer only. */
export interface AgentMcpServer {
  readonly id: string;
  readonly name: string | undefined;
  readonly url: string;
  /** In the clear, names in lower case: not for logs, answers or the model. */
  readonly headers: Readonly<Record<string, string>>;
  /** Patterns of the names of its tools that may be used, `*` standing for any characters; empty: all. */
  readonly tools: readonly string[];
  /** Each call of its tools waits for an approval. */
  readonly needsApproval: boolean;
}

/** MCP servers that are asked for one turn. */
export const maxMcpServersPerTurn = 32;

/** What a person and the person's teams give to the agent; own items first, then team by team. */
export interface AgentExtensionsByKind {
  readonly rules: readonly AgentRulesExtension[];
  readonly skills: readonly AgentSkill[];
  /** The first `maxMcpServersPerTurn`. */
  readonly mcpServers: readonly AgentMcpServer[];
  /** How many more there are, beyond what a turn takes. */
  readonly omitted: Readonly<Record<"rules" | "skills" | "mcpServers", number>>;
}

/** Nothing is omitted. */
export const noOmittedAgentExtensions = { rules: 0, skills: 0, mcpServers: 0 } as const;

/**
 * Reads the items of a person and the person's teams, each time no more of them than is asked
 * for; implemented by the items of teams.
 */
export interface AccountAgentExtensionReader {
  /** Reads what a turn begins with. `hold` counts it before it is loaded; rejects as `hold` throws. */
  readForTurn(owner: AgentExtensionOwner, hold: MemoryReserver): Promise<AgentExtensionsByKind>;
  /** Whether there are MCP servers. */
  hasMcpServers(owner: AgentExtensionOwner): Promise<boolean>;
  /** Reads what all MCP servers are called. */
  listMcpServerNames(
    owner: AgentExtensionOwner,
  ): Promise<readonly Pick<AgentMcpServer, "id" | "name">[]>;
  /** Returns an MCP server as it is now; undefined if the owner has it no longer. */
  findMcpServer(owner: AgentExtensionOwner, id: string): Promise<AgentMcpServer | undefined>;
  /** Reads what all skills are called. */
  listSkillNames(owner: AgentExtensionOwner): Promise<readonly Pick<AgentSkill, "id" | "name">[]>;
  /** Returns the text of a skill, counted like a turn's items; undefined if the owner has it no longer. */
  findSkillText(
    owner: AgentExtensionOwner,
    id: string,
    hold: MemoryReserver,
  ): Promise<string | undefined>;
}
