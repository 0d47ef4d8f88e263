import { parseCallArguments, unreadableArguments } from "../../dialect/call-arguments.ts";
import type {
  AgentOutfit,
  AgentReceiver,
  AgentTools,
  HostedServer,
  ToolCall,
  ToolResult,
} from "../../kernel/agent-turn.ts";
import type { GivenItems } from "../../kernel/given-items.ts";
import type { Clock } from "../../platform/clock.ts";
import { toolError } from "../tool-error.ts";
import { KeptConnections } from "./mcp/kept-connections.ts";
import { mcpLimits, type McpLimits } from "./mcp/mcp-connection.ts";
import type { McpDialer } from "./mcp/checked-fetch.ts";
import { McpFault } from "./mcp/mcp-fault.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { ToolListings } from "./mcp/tool-listings.ts";
import type { AskedServer } from "./outfit/asked-server.ts";
import { assembleOutfit } from "./outfit/assemble-outfit.ts";
import { serverLabels } from "./outfit/server-labels.ts";
import { hostedRules, itemRules, type ServerRules } from "./outfit/server-rules.ts";
import { callOwnTool } from "./call-own-tool.ts";
import { callServerTool, endSessions } from "./call-server-tool.ts";
import { hostedServer, serverOfItem, type DialledServer } from "./dialled-server.ts";
import type { OwnTool } from "./own-tool.ts";
import { scrubTools } from "./output/scrub-tools.ts";

export interface AgentToolboxDependencies {
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
  readonly #dependencies: AgentToolboxDependencies;
  readonly #listings: ToolListings;
  readonly #connections: KeptConnections;

  constructor(dependencies: AgentToolboxDependencies) {
    this.#dependencies = dependencies;
    const parts = { ...dependencies, limits: dependencies.limits ?? mcpLimits };
    this.#listings = new ToolListings(parts);
    this.#connections = new KeptConnections(parts);
  }

  async outfit(
    receiver: AgentReceiver,
    declared: readonly JsonObject[],
    signal: AbortSignal,
    hosted: readonly HostedServer[] = [],
  ): Promise<AgentOutfit> {
    signal.throwIfAborted();
    const items = await this.#dependencies.givenItems(receiver);
    const known = knownServers(receiver, items, hosted);
    const asked = known.slice(0, mostServers).map((server) => this.#ask(server, signal));
    const servers = await Promise.all(asked);
    const unasked = known.length - servers.length;
    return assembleOutfit({ items, declared, own: this.#dependencies.own, servers, unasked });
  }

  async call(call: ToolCall): Promise<ToolResult> {
    call.signal.throwIfAborted();
    const { source } = call.tool;
    const input = parseCallArguments(call.arguments);
    if (input === undefined) return toolError(unreadableArguments);
    switch (source.kind) {
      case "declared":
        throw new Error("a tool of the caller was called here");
      case "own":
        return callOwnTool(this.#dependencies, call, source.tool, input);
      case "mcp":
        return callServerTool(
          this.#connections,
          this.#dependencies.givenItems,
          call,
          source,
          input,
        );
    }
  }

  endTurn(turnId: string): void {
    endSessions(this.#connections, turnId);
  }

  /** Ends the sessions of servers that keep some. */
  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #ask({ server, ...known }: KnownServer, signal: AbortSignal): Promise<AskedServer> {
    try {
      const { key, address } = server;
      const listed = await this.#listings.of(key, address, signal);
      return { ...known, answer: scrubTools(listed, address.headers) };
    } catch (error) {
      if (error instanceof McpFault) return { ...known, answer: error };
      throw error;
    }
  }
}

interface KnownServer {
  readonly server: DialledServer;
  readonly label: string;
  readonly rules: ServerRules;
}

/** Those that the request declares, then those of items. */
function knownServers(
  receiver: AgentReceiver,
  { mcpServers }: GivenItems,
  hosted: readonly HostedServer[],
): readonly KnownServer[] {
  const declared = hosted.map((one) => ({
    server: hostedServer(receiver, one),
    label: one.label,
    rules: hostedRules(one),
  }));
  const taken = hosted.map(({ label }) => label);
  const labels = serverLabels(mcpServers, taken);
  const own = mcpServers.map((item, index) => ({
    server: serverOfItem(receiver, item),
    label: labels[index] ?? "mcp",
    rules: itemRules(item),
  }));
  return [...declared, ...own];
}
