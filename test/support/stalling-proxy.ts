import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Two ends of one proxied connection. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isListener: boolean;
}

/**
 * Stands between a client and the socket of the test server, and fails in ways
 * that a real network does.
 */
export class StallingProxy {
  /** Leads to the same database through the proxy. */
  readonly connectionString: string;
  readonly #directory: string;
  readonly #target: string;
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #frozen = false;
  #deaf = false;

  private constructor(connectionString: string, directory: string) {
    const url = new URL(connectionString);
    this.#target = join(url.searchParams.get("host") ?? "", ".s.PGSQL.5432");
    this.#directory = directory;
    url.searchParams.set("host", directory);
    this.connectionString = url.href;
  }

  static async start(connectionString: string): Promise<StallingProxy> {
    const proxy = new StallingProxy(connectionString, await mkdtemp(join(tmpdir(), "proxy-")));
    await proxy.accept();
    return proxy;
  }

  /** How many connections are open now. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Nothing arrives any more, at either end and on new connections, but nothing is closed. */
  freeze(): void {
    this.#frozen = true;
    for (const pair of this.#pairs) stop(pair);
  }

  /** What was held back arrives. */
  thaw(): void {
    this.#frozen = false;
    for (const pair of this.#pairs) flow(pair);
  }

  /** Connections that listen now hear nothing more, as if half dead. */
  deafenListeners(): void {
    for (const pair of this.#pairs) if (pair.isListener) pair.server.unpipe(pair.client).pause();
  }

  /** Also connections that begin to listen from now on hear nothing. */
  set deaf(deaf: boolean) {
    this.#deaf = deaf;
    if (deaf) this.deafenListeners();
  }

  /** Breaks all connections and refuses new ones, like a server that is down. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.close();
    for (const pair of this.#pairs) close(pair);
    if (server !== undefined) await once(server, "close");
  }

  /** Takes connections again. */
  async accept(): Promise<void> {
    this.#server = createServer((client) => this.#connect(client));
    this.#server.listen(join(this.#directory, ".s.PGSQL.5432"));
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    await this.refuse();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #connect(client: Socket): void {
    const pair: Pair = { client, server: connect(this.#target), isListener: false };
    this.#pairs.add(pair);
    for (const socket of [pair.client, pair.server]) {
      socket.on("error", () => close(pair));
      socket.on("close", () => {
        close(pair);
        this.#pairs.delete(pair);
      });
    }
    client.on("data", (chunk: Buffer) => this.#watch(pair, chunk));
    if (!this.#frozen) flow(pair);
    else stop(pair);
  }

  /** A connection shows what it is for by its first statement. */
  #watch(pair: Pair, chunk: Buffer): void {
    if (!chunk.includes("listen causeway_")) return;
    pair.isListener = true;
    // The answer to the statement itself still has to pass.
    if (this.#deaf) setTimeout(() => pair.server.unpipe(pair.client).pause(), 50);
  }
}

function flow({ client, server }: Pair): void {
  client.pipe(server);
  server.pipe(client);
}

function stop({ client, server }: Pair): void {
  client.unpipe(server).pause();
  server.unpipe(client).pause();
}

function close({ client, server }: Pair): void {
  client.destroy();
  server.destroy();
}
