import {
  McpConnection,
  type McpEndpoint,
  type McpConnectionDependencies,
} from "./mcp-connection.ts";

interface PooledConnection {
  /** What the server was dialled with; another address or credential is another connection. */
  readonly dialled: string;
  readonly connection: McpConnection;
  readonly greeted: Promise<void>;
  timer: NodeJS.Timeout | undefined;
  /** Calls that use it now. */
  users: number;
}

export interface McpConnectionPoolOptions extends McpConnectionDependencies {
  /** Milliseconds for which a connection is kept that nobody uses; 5 minutes if omitted. */
  readonly idleMs?: number;
  /** How many are kept that nobody uses; 256 if omitted. */
  readonly maxIdle?: number;
}

/**
 * Connections by key, kept for the next call of the same turn: a server with
 * sessions, a browser for instance, knows by the session what the calls before did.
 */
export class McpConnectionPool {
  readonly #dependencies: McpConnectionPoolOptions;
  readonly #kept = new Map<string, PooledConnection>();

  constructor(dependencies: McpConnectionPoolOptions) {
    this.#dependencies = dependencies;
  }

  /**
   * Works with the connection of a key, which is greeted when it is new. `isKept`:
   * it was there before, so that the server may have forgotten it. Rejects like `initialize`.
   */
  async use<Result>(
    key: string,
    address: McpEndpoint,
    signal: AbortSignal,
    work: (connection: McpConnection, isKept: boolean) => Promise<Result>,
  ): Promise<Result> {
    const dialled = JSON.stringify([address.url, address.headers]);
    const found = this.#kept.get(key);
    const isKept = found?.dialled === dialled;
    const kept = isKept ? found : this.#open(key, dialled, address, signal);
    kept.users += 1;
    clearTimeout(kept.timer);
    try {
      await kept.greeted;
      return await work(kept.connection, isKept);
    } finally {
      kept.users -= 1;
      this.#rest(key, kept);
    }
  }

  /** Gives the connection of a key up. */
  drop(key: string): void {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept?.users === 0) void this.#end(kept);
  }

  /** Gives up those whose key is meant. */
  dropWhere(isMeant: (key: string) => boolean): void {
    for (const key of [...this.#kept.keys()].filter(isMeant)) this.drop(key);
  }

  /** Gives all up. */
  async close(): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(all.map((kept) => this.#end(kept)));
  }

  #open(key: string, dialled: string, address: McpEndpoint, signal: AbortSignal): PooledConnection {
    this.drop(key);
    const connection = new McpConnection(address, this.#dependencies);
    const greeted = connection.initialize(signal);
    const kept = { dialled, connection, greeted, timer: undefined, users: 0 };
    this.#kept.set(key, kept);
    greeted.catch(() => this.#kept.get(key) === kept && this.#kept.delete(key));
    return kept;
  }

  /** The last user leaves: it waits for the next, or ends when it was given up meanwhile. */
  #rest(key: string, kept: PooledConnection): void {
    if (kept.users > 0) return;
    if (this.#kept.get(key) !== kept) return void this.#end(kept);
    const { idleMs = 5 * 60_000, maxIdle: mostIdle = 256 } = this.#dependencies;
    kept.timer = setTimeout(() => this.drop(key), idleMs).unref();
    // The one that was used last stands last.
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const idle = [...this.#kept].filter(([, { users }]) => users === 0);
    for (const [oldest] of idle.slice(0, Math.max(0, idle.length - mostIdle))) this.drop(oldest);
  }

  #end(kept: PooledConnection): Promise<void> {
    clearTimeout(kept.timer);
    return kept.connection.close();
  }
}
