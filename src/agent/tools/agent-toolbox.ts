import { parseToolArguments } from "../../dialect/call-arguments.ts";
import type {
  AgentToolsetSnapshot,
  AgentExtensionOwner,
  AgentToolRuntime,
  DeclaredMcpServer,
  AgentToolCall,
  AgentToolResult,
} from "../../domain/agent-turn.ts";
import {
  maxMcpServersPerTurn,
  type AccountAgentExtensionReader,
  type AgentExtensionsByKind,
} from "../../domain/agent-items.ts";
import type { Clock } from "../../platform/clock.ts";
import { ApiError } from "../../platform/errors.ts";
import {
  openMemoryReservationScope,
  noopMemoryReserver,
  type MemoryReserver,
} from "../../platform/hold-memory.ts";
import { estimateJsonValueBytes } from "../../platform/json-bytes.ts";
import { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import { createAgentToolErrorResult } from "../tool-error.ts";
import { McpConnectionPool } from "./mcp/mcp-connection-pool.ts";
import { defaultMcpServerLimits, type McpServerLimits } from "./mcp/mcp-connection.ts";
import type { McpDispatcherProvider } from "./mcp/checked-fetch.ts";
import { McpServerError } from "./mcp/mcp-server-error.ts";
import type { JsonObject } from "../../platform/json-value.ts";
import { McpToolListCache } from "./mcp/tool-list-cache.ts";
import type { McpServerQueryResult } from "./toolset/queried-server.ts";
import { buildAgentToolset } from "./toolset/build-toolset.ts";
import { limitToolListByPolicy } from "./toolset/limit-listing.ts";
import type { McpToolList } from "./toolset/listed-mcp-tool.ts";
import { assignMcpServerLabels } from "./toolset/server-labels.ts";
import {
  createDeclaredMcpToolPolicy,
  createMcpExtensionToolPolicy,
  type McpServerToolPolicy,
} from "./toolset/tool-policy.ts";
import { callBuiltInTool } from "./call-built-in-tool.ts";
import { callMcpTool, closeMcpSessions } from "./call-mcp-tool.ts";
import {
  toMcpServerFromDeclaration,
  toMcpServerFromExtension,
  type McpServerWithCacheKey,
} from "./mcp-server-target.ts";
import type { BuiltInTool } from "./built-in-tool.ts";
import { redactMcpToolList } from "./result/redact-tools.ts";

export interface AgentToolboxDependencies {
  /** What the agent works with on somebody's behalf. */
  readonly items: AccountAgentExtensionReader;
  readonly builtInTools: readonly BuiltInTool[];
  readonly dialer: McpDispatcherProvider;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
  /** Those of the contract if omitted. */
  readonly limits?: McpServerLimits;
}

/** Servers that are asked at a time for all turns of an account. */
const maxServersOfAccount = 64;

/** The tools of agents: those of MCP servers, the skills, and those of dependency health. */
export class AgentToolbox implements AgentToolRuntime {
  readonly #dependencies: AgentToolboxDependencies;
  readonly #listings: McpToolListCache;
  readonly #connections: McpConnectionPool;
  readonly #queries = new KeyedConcurrencyLimiter(maxServersOfAccount);

  constructor(dependencies: AgentToolboxDependencies) {
    this.#dependencies = dependencies;
    const parts = { ...dependencies, limits: dependencies.limits ?? defaultMcpServerLimits };
    this.#listings = new McpToolListCache(parts);
    this.#connections = new McpConnectionPool(parts);
  }

  async buildToolset(
    receiver: AgentExtensionOwner,
    declared: readonly JsonObject[],
    signal: AbortSignal,
    hosted: readonly DeclaredMcpServer[] = [],
    hold: MemoryReserver = noopMemoryReserver,
  ): Promise<AgentToolsetSnapshot> {
    const scope = openMemoryReservationScope(hold);
    try {
      return await this.#buildToolset(receiver, declared, hosted, { signal, hold: scope.hold });
    } finally {
      scope.giveBack();
    }
  }

  async #buildToolset(
    receiver: AgentExtensionOwner,
    declared: readonly JsonObject[],
    hosted: readonly DeclaredMcpServer[],
    { signal, hold }: Pick<QueryContext, "signal" | "hold">,
  ): Promise<AgentToolsetSnapshot> {
    signal.throwIfAborted();
    const items = await this.#dependencies.items.readForTurn(receiver, hold);
    const { accountId } = receiver;
    const known = configuredServers(receiver, items, hosted);
    const asked = known
      .slice(0, maxMcpServersPerTurn)
      .map((server) =>
        this.#queries.run(accountId, () => this.#queryServer(server, { accountId, signal, hold })),
      );
    const servers = await Promise.all(asked);
    const skippedServers = known.length - servers.length + items.omitted.mcpServers;
    return buildAgentToolset({
      items,
      declared,
      builtIn: this.#dependencies.builtInTools,
      servers,
      skippedServers,
    });
  }

  async call(call: AgentToolCall): Promise<AgentToolResult> {
    call.signal.throwIfAborted();
    const { source } = call.tool;
    const read = parseToolArguments(call.arguments);
    if ("error" in read) return createAgentToolErrorResult(read.error);
    const { value: input } = read;
    switch (source.kind) {
      case "declared":
        throw new Error("a tool of the caller was called here");
      case "own":
        return callBuiltInTool(this.#dependencies, call, source.tool, input);
      case "mcp":
        return callMcpTool(this.#connections, this.#dependencies.items, call, source, input);
    }
  }

  endTurn(turnId: string): void {
    closeMcpSessions(this.#connections, turnId);
  }

  /** Ends the sessions of servers that keep some. */
  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #queryServer(
    { server, ...known }: ConfiguredServer,
    { accountId, signal, hold }: QueryContext,
  ): Promise<McpServerQueryResult> {
    try {
      const { key, address } = server;
      // Counted while all that was read is still counted as well.
      const read = async (listed: McpToolList): Promise<McpToolList> => {
        const allowed = await limitToolListByPolicy(listed, known.policy);
        const limited = redactMcpToolList(allowed, address.headers);
        hold(estimateJsonValueBytes(limited));
        return limited;
      };
      const asking = { accountId, signal, hold, read };
      return { ...known, result: await this.#listings.get(key, address, asking) };
    } catch (error) {
      if (error instanceof McpServerError) return { ...known, result: error };
      if (error instanceof ApiError) return { ...known, result: new McpServerError("no_memory") };
      throw error;
    }
  }
}

/** How the servers of a toolset are asked. */
interface QueryContext {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly hold: MemoryReserver;
}

interface ConfiguredServer {
  readonly server: McpServerWithCacheKey;
  readonly label: string;
  readonly policy: McpServerToolPolicy;
}

/** Those that the request declares, then those of items. */
function configuredServers(
  receiver: AgentExtensionOwner,
  { mcpServers }: AgentExtensionsByKind,
  hosted: readonly DeclaredMcpServer[],
): readonly ConfiguredServer[] {
  const declared = hosted.map((one) => ({
    server: toMcpServerFromDeclaration(receiver, one),
    label: one.label,
    policy: createDeclaredMcpToolPolicy(one),
  }));
  const taken = hosted.map(({ label }) => label);
  const labels = assignMcpServerLabels(mcpServers, taken);
  const own = mcpServers.map((item, index) => ({
    server: toMcpServerFromExtension(receiver, item),
    label: labels[index] ?? "mcp",
    policy: createMcpExtensionToolPolicy(item),
  }));
  return [...declared, ...own];
}
