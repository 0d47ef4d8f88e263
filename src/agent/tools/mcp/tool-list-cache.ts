import { setImmediate as nextTurn } from "node:timers/promises";
import type { MemoryReserver } from "../../../platform/hold-memory.ts";
import { KeyedConcurrencyLimiter } from "../../../platform/keyed-limiter.ts";
import type { Clock } from "../../../platform/clock.ts";
import { createSecretRedactor } from "../result/redact-secrets.ts";
import { parseMcpToolList, type McpToolList } from "../toolset/listed-mcp-tool.ts";
import {
  McpConnection,
  type McpEndpoint,
  type McpConnectionDependencies,
} from "./mcp-connection.ts";

interface Listing {
  readonly dialled: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** `ListedMcpTools` as JSON, which takes a tenth of their memory or less. */
  readonly tools: string;
}

/** How a list is read. */
export interface McpToolListReadOptions<Result> {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly hold: MemoryReserver;
  readonly read: (listed: McpToolList) => Promise<Result>;
}

export interface McpToolListCacheDependencies extends McpConnectionDependencies {
  readonly clock: Clock;
}

/** Longest time for which a server is taken at its word. */
const maxTtlMs = 10 * 60_000;
/** Characters of all listings that are kept. */
const maxCharacters = 16 * 1024 * 1024;

/**
 * What servers list, kept for as long as they say, by key: what was listed to one
 * account is never shown to another.
 */
export class McpToolListCache {
  readonly #dependencies: McpToolListCacheDependencies;
  readonly #listings = new Map<string, Listing>();
  readonly #readings = new KeyedConcurrencyLimiter(1);
  #size = 0;

  constructor(dependencies: McpToolListCacheDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns what `read` makes of what a server lists; `hold` counts what is read of the server
   * until then. Lists of an account are read one after the other, and other work of the process
   * runs in between. Rejects with a `McpServerError`, or with the signal's reason.
   */
  async get<Result>(
    key: string,
    address: McpEndpoint,
    { accountId, signal, hold, read }: McpToolListReadOptions<Result>,
  ): Promise<Result> {
    const parseAndRead = (parse: () => McpToolList): Promise<Result> =>
      this.#readings.run(accountId, async () => {
        await nextTurn();
        signal.throwIfAborted();
        return read(parse());
      });
    const dialled = JSON.stringify([address.url, address.headers]);
    const found = this.#listings.get(key);
    const now = this.#dependencies.clock.now();
    if (found?.dialled === dialled && now < found.until)
      return parseAndRead(() => JSON.parse(found.tools) as McpToolList);
    this.#evict(key);
    const connection = new McpConnection(address, this.#dependencies);
    try {
      return await connection.initializeAndListTools(signal, hold, ({ tools: listed, ttlMs }) =>
        parseAndRead(() => {
          const tools = parseMcpToolList(listed, createSecretRedactor(address.headers));
          if (ttlMs > 0) this.#keep(key, dialled, now + Math.min(ttlMs, maxTtlMs), tools);
          return tools;
        }),
      );
    } finally {
      void connection.close();
    }
  }

  #keep(key: string, dialled: string, until: number, listed: McpToolList): void {
    const tools = JSON.stringify(listed);
    this.#evict(key);
    this.#listings.set(key, { dialled, until, tools });
    this.#size += tools.length;
    for (const oldest of this.#listings.keys()) {
      if (this.#size <= maxCharacters) break;
      this.#evict(oldest);
    }
  }

  #evict(key: string): void {
    this.#size -= this.#listings.get(key)?.tools.length ?? 0;
    this.#listings.delete(key);
  }
}
