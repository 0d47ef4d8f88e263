import { Client, ProtocolError, type jsonSchemaValidator } from "@modelcontextprotocol/client";
import { createMcpClientFetch, type McpDispatcherProvider } from "./checked-fetch.ts";
import { McpServerExchange, type McpExchangeLimits } from "./mcp-exchange.ts";
import { UntrustedMcpTransport } from "./guarded-transport.ts";
import { McpServerError } from "./mcp-server-error.ts";
import { ApiError } from "../../../platform/errors.ts";
import type { MemoryReserver } from "../../../platform/hold-memory.ts";
import { type JsonObject } from "../../../platform/json-value.ts";
import { createSecretRedactor } from "../result/redact-secrets.ts";
import { maxListedMcpTools, getRawMcpResult } from "./prune-result.ts";
import { appendAll } from "../../../platform/append-all.ts";

/** An MCP server as it is dialled. */
export interface McpEndpoint {
  readonly url: string;
  /** In the clear. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the pool of its connections. */
  readonly poolKey: string;
}

export interface McpConnectionDependencies {
  readonly dialer: McpDispatcherProvider;
  /** Version of this program, as servers are told it. */
  readonly version: string;
  readonly limits: McpServerLimits;
}

/** What one server may take of us. */
export interface McpServerLimits {
  /** From the first request to the last tool that is listed. */
  readonly initialize: McpExchangeLimits;
  readonly call: McpExchangeLimits;
}

const second = 1000;

/** JSON values of one answer. A list of a thousand tools has some fifty thousand. */
const maxValues = 200_000;

/** How much a server is waited for (docs/agent-tools.md#what-is-taken-of-a-server). An answer beyond its bytes is cut. */
export const defaultMcpServerLimits: McpServerLimits = {
  initialize: { ms: 10 * second, bytes: 2 * 1024 * 1024, values: maxValues, messages: 256 },
  call: { ms: 120 * second, bytes: 1024 * 1024, values: maxValues, messages: 1024 },
};

/** What a server lists. */
export interface RawMcpToolList {
  /** As the server describes them; each has a `name`. */
  readonly tools: readonly JsonObject[];
  /** Milliseconds for which the server says that it stays so. */
  readonly ttlMs: number;
}

/** A call of a tool of a server. */
export interface McpToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The tool's schema, of whose values some go into headers. */
  readonly inputSchema: JsonObject;
  /** `_meta["causeway/call"]`. */
  readonly callName: string;
}

/** What a call was answered with. */
export interface RawMcpToolResult {
  /** The result, as it was sent. */
  readonly result: JsonObject;
  /** It was longer than is read, and ends where it was cut. */
  readonly isTruncated: boolean;
}

/** Pages that are asked for at most. */
const maxPages = 50;

/** An MCP server that has been greeted, in whichever revision of the protocol it speaks. */
export class McpConnection {
  readonly #client: Client;
  readonly #transport: UntrustedMcpTransport;
  readonly #limits: McpServerLimits;

  constructor(address: McpEndpoint, { dialer, version, limits }: McpConnectionDependencies) {
    this.#limits = limits;
    this.#transport = new UntrustedMcpTransport({
      url: address.url,
      headers: { "user-agent": `causeway/${version}`, ...address.headers },
      fetch: createMcpClientFetch(dialer, address.poolKey),
      redact: createSecretRedactor(address.headers),
    });
    this.#client = new Client(
      { name: "causeway", version },
      {
        capabilities: {},
        versionNegotiation: { mode: "auto" },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: skipOutputValidation,
      },
    );
  }

  /** Whether the server keeps something of this connection, which it may forget. */
  get hasSession(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Greets the server. Rejects with a `McpServerError`, or with the signal's reason. */
  initialize(signal: AbortSignal): Promise<void> {
    return this.#exchange(signal, this.#limits.initialize, (exchange) => this.#connect(exchange));
  }

  /**
   * Greets the server, asks for its tools, a thousand at most, and returns what `read` makes of
   * them. `hold` counts what is read until then. Rejects like `initialize`.
   */
  initializeAndListTools<Result>(
    signal: AbortSignal,
    hold: MemoryReserver,
    read: (listed: RawMcpToolList) => Promise<Result>,
  ): Promise<Result> {
    const work = async (exchange: McpServerExchange): Promise<Result> => {
      await this.#connect(exchange);
      const listed = await this.#list(exchange);
      exchange.stopTimer();
      return read(listed);
    };
    return this.#exchange(signal, this.#limits.initialize, work, hold);
  }

  /**
   * Calls a tool and returns what `read` makes of its answer. `hold` counts what is read until
   * then. Rejects like `initialize`.
   */
  call<Result>(
    call: McpToolCall,
    signal: AbortSignal,
    hold: MemoryReserver,
    read: (answer: RawMcpToolResult) => Result,
  ): Promise<Result> {
    const { name, callName, inputSchema } = call;
    const work = async (exchange: McpServerExchange): Promise<Result> => {
      const pruned = await this.#client.callTool(
        { name, arguments: call.arguments, _meta: { "causeway/call": callName } },
        {
          toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
          timeout: this.#limits.call.ms + second,
          signal: exchange.signal,
        },
      );
      return read({ result: getRawMcpResult(pruned), isTruncated: exchange.isTruncated });
    };
    return this.#exchange(signal, this.#limits.call, work, hold);
  }

  /** Ends it: a server that keeps a session is told. Never rejects. */
  async close(): Promise<void> {
    await this.#transport.settleNotices();
    await this.#transport.terminateSession().catch(() => undefined);
    await this.#client.close().catch(() => undefined);
  }

  #connect({ signal }: McpServerExchange): Promise<void> {
    return this.#client.connect(this.#transport, { timeout: this.#limits.initialize.ms, signal });
  }

  async #list(exchange: McpServerExchange): Promise<RawMcpToolList> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], ttlMs: 0 };
    const { signal } = exchange;
    const tools: JsonObject[] = [];
    let ttlMs = Infinity;
    let cursor: string | undefined;
    for (let page = 0; page < maxPages && tools.length < maxListedMcpTools; page++) {
      const listed = await this.#client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        { timeout: this.#limits.initialize.ms, signal },
      );
      appendAll(tools, listed.tools.map(getRawMcpResult));
      ttlMs = Math.min(ttlMs, timeToLive(listed));
      if (listed.nextCursor === undefined || listed.nextCursor === cursor) break;
      cursor = listed.nextCursor;
    }
    // The last one may be incomplete.
    if (exchange.isTruncated) tools.pop();
    return { tools: tools.slice(0, maxListedMcpTools), ttlMs };
  }

  async #exchange<Result>(
    signal: AbortSignal,
    limits: McpExchangeLimits,
    work: (exchange: McpServerExchange) => Promise<Result>,
    hold?: MemoryReserver,
  ): Promise<Result> {
    const exchange = new McpServerExchange(signal, limits, hold);
    try {
      return await exchange.run(() => work(exchange));
    } catch (error) {
      if (signal.aborted) throw error;
      throw toMcpServerError(error, exchange.failedStatus);
    }
  }
}

/** The caller of a tool judges its results, not this client: it compiles no schema of a server. */
const skipOutputValidation: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

function timeToLive({ ttlMs }: JsonObject): number {
  return typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0;
}

function toMcpServerError(error: unknown, status: number | undefined): McpServerError {
  if (error instanceof McpServerError) return error;
  // What was read is counted to the account, which holds too much.
  if (error instanceof ApiError) return new McpServerError("no_memory");
  if (error instanceof ProtocolError)
    return new McpServerError("refused", { serverMessage: error.message });
  return status === undefined
    ? new McpServerError("unreadable")
    : new McpServerError("status", { status });
}
