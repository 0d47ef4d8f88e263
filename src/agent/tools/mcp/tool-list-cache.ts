import type { Clock } from "../../../platform/clock.ts";
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
  /** Of the tools as JSON. */
  readonly size: number;
  readonly tools: McpToolList;
}

export interface ToolListCacheDependencies extends McpConnectionDependencies {
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
export class ToolListCache {
  readonly #dependencies: ToolListCacheDependencies;
  readonly #listings = new Map<string, Listing>();
  #size = 0;

  constructor(dependencies: ToolListCacheDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects with a `McpServerError`, or with the signal's reason. */
  async get(key: string, address: McpEndpoint, signal: AbortSignal): Promise<McpToolList> {
    const dialled = JSON.stringify([address.url, address.headers]);
    const found = this.#listings.get(key);
    const now = this.#dependencies.clock.now();
    if (found?.dialled === dialled && now < found.until) return found.tools;
    this.#evict(key);
    const connection = new McpConnection(address, this.#dependencies);
    try {
      const { tools: listed, ttlMs } = await connection.initializeAndListTools(signal);
      const tools = parseMcpToolList(listed);
      if (ttlMs > 0) this.#keep(key, dialled, now + Math.min(ttlMs, maxTtlMs), tools);
      return tools;
    } finally {
      void connection.close();
    }
  }

  #keep(key: string, dialled: string, until: number, tools: McpToolList): void {
    const size = JSON.stringify(tools).length;
    this.#evict(key);
    this.#listings.set(key, { dialled, until, size, tools });
    this.#size += size;
    for (const oldest of this.#listings.keys()) {
      if (this.#size <= maxCharacters) break;
      this.#evict(oldest);
    }
  }

  #evict(key: string): void {
    this.#size -= this.#listings.get(key)?.size ?? 0;
    this.#listings.delete(key);
  }
}
