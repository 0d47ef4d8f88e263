import type { Clock } from "../../../platform/clock.ts";
import { serverTools, type ServerTools } from "../outfit/server-tool.ts";
import {
  McpConnection,
  type McpAddress,
  type McpConnectionDependencies,
} from "./mcp-connection.ts";

interface Listing {
  readonly dialled: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Of the tools as JSON. */
  readonly size: number;
  readonly tools: ServerTools;
}

export interface ToolListingsDependencies extends McpConnectionDependencies {
  readonly clock: Clock;
}

/** Longest time for which a server is taken at its word. */
const longestMs = 10 * 60_000;
/** Characters of all listings that are kept. */
const mostCharacters = 16 * 1024 * 1024;

/**
 * What servers list, kept for as long as they say, by key: what was listed to one
 * account is never shown to another.
 */
export class ToolListings {
  readonly #dependencies: ToolListingsDependencies;
  readonly #listings = new Map<string, Listing>();
  #size = 0;

  constructor(dependencies: ToolListingsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects with a `McpFault`, or with the signal's reason. */
  async of(key: string, address: McpAddress, signal: AbortSignal): Promise<ServerTools> {
    const dialled = JSON.stringify([address.url, address.headers]);
    const found = this.#listings.get(key);
    const now = this.#dependencies.clock.now();
    if (found?.dialled === dialled && now < found.until) return found.tools;
    this.#forget(key);
    const connection = new McpConnection(address, this.#dependencies);
    try {
      const { tools: listed, ttlMs } = await connection.greetAndList(signal);
      const tools = serverTools(listed);
      if (ttlMs > 0) this.#keep(key, dialled, now + Math.min(ttlMs, longestMs), tools);
      return tools;
    } finally {
      void connection.close();
    }
  }

  #keep(key: string, dialled: string, until: number, tools: ServerTools): void {
    const size = JSON.stringify(tools).length;
    this.#forget(key);
    this.#listings.set(key, { dialled, until, size, tools });
    this.#size += size;
    for (const oldest of this.#listings.keys()) {
      if (this.#size <= mostCharacters) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#size -= this.#listings.get(key)?.size ?? 0;
    this.#listings.delete(key);
  }
}
