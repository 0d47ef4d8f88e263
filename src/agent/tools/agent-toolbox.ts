import type {
  AgentOutfit,
  AgentReceiver,
  AgentTools,
  ToolCall,
  ToolResult,
} from "../../kernel/agent-turn.ts";
import type { GivenItems, GivenMcpServer } from "../../kernel/given-items.ts";
import type { Clock } from "../../platform/clock.ts";
import { KeptConnections } from "./mcp/kept-connections.ts";
import { addressOf, mcpLimits, type McpLimits } from "./mcp/mcp-connection.ts";
import type { McpDialer } from "./mcp/checked-fetch.ts";
import { McpFault } from "./mcp/mcp-fault.ts";
import { isRecord, type JsonRecord } from "./mcp/pruned-result.ts";
import { ToolListings } from "./mcp/tool-listings.ts";
import { assembleOutfit, type AskedServer } from "./outfit/assemble-outfit.ts";
import { serverLabels } from "./outfit/server-labels.ts";
import { callOwnTool } from "./call-own-tool.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { OwnTool } from "./own-tool.ts";
import { toolError } from "./output/tool-output.ts";

export interface AgentToolboxOptions {
  /** What the agent works with on somebody's behalf. */
  readonly givenItems: (receiver: AgentReceiver) => Promise<GivenItems>;
  readonly own: readonly OwnTool[];
  readonly dialer: McpDialer;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
  /** Those of the contract if omitted. */
  readonly limits?: McpLimits;
}

/** Servers that are asked for one turn. */
const mostServers = 32;

/** The tools of agents: those of MCP servers, the skills, and those of dependency health. */
export class AgentToolbox implements AgentTools {
  readonly #options: AgentToolboxOptions;
  readonly #listings: ToolListings;
  readonly #connections: KeptConnections;

  constructor(options: AgentToolboxOptions) {
    this.#options = options;
    const parts = { ...options, limits: options.limits ?? mcpLimits };
    this.#listings = new ToolListings(parts);
    this.#connections = new KeptConnections(parts);
  }

  async outfit(
    receiver: AgentReceiver,
    declared: readonly JsonRecord[],
    signal: AbortSignal,
  ): Promise<AgentOutfit> {
    signal.throwIfAborted();
    const items = await this.#options.givenItems(receiver);
    const labels = serverLabels(items.mcpServers);
    const asked = items.mcpServers
      .slice(0, mostServers)
      .map((item, index) => this.#ask(receiver, item, labels[index] ?? "mcp", signal));
    const servers = await Promise.all(asked);
    const unasked = items.mcpServers.length - servers.length;
    return assembleOutfit({ items, declared, own: this.#options.own, servers, unasked });
  }

  async call(call: ToolCall): Promise<ToolResult> {
    call.signal.throwIfAborted();
    const { source } = call.tool;
    const input = argumentsOf(call.arguments);
    if (input === undefined) {
      return toolError("The arguments are no JSON object; send one as the tool's schema says.");
    }
    switch (source.kind) {
      case "declared":
        throw new Error("a tool of the caller was called here");
      case "own":
        return callOwnTool(this.#options, call, source.tool, input);
      case "mcp":
        return callServerTool(this.#connections, this.#options.givenItems, call, source, input);
    }
  }

  /** Ends the sessions of servers that keep some. */
  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #ask(
    receiver: AgentReceiver,
    item: GivenMcpServer,
    label: string,
    signal: AbortSignal,
  ): Promise<AskedServer> {
    try {
      const key = `${receiver.accountId}/${receiver.userId}/${item.id}`;
      return { item, label, answer: await this.#listings.of(key, addressOf(item), signal) };
    } catch (error) {
      if (error instanceof McpFault) return { item, label, answer: error };
      throw error;
    }
  }
}

function argumentsOf(text: string): JsonRecord | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
