import { EventEmitter, once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { SelfSigned } from "./self-signed-certificate.ts";

/** What the double answers to a command; undefined: nothing, as a server that hangs. */
export type RedisReply = (command: readonly string[]) => string | undefined;

/** An answer of the script of the request buckets. */
export function takeReply(allowed: boolean, fullInMs: number): string {
  const at = String(Date.now());
  return `*3\r\n:${allowed ? 1 : 0}\r\n${bulk(String(fullInMs))}${bulk(at)}`;
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

/** Serves: full buckets of 60 a minute, of which each request takes one. */
export const serving: RedisReply = ([name]) =>
  name?.startsWith("EVAL") === true ? takeReply(true, 1000) : "+OK\r\n";

/** A server that speaks so much of the protocol of Redis that a client can be led by the nose. */
export class FakeRedis {
  /** May be replaced at any time. */
  answer: RedisReply = serving;
  /** All that came, in order. */
  readonly commands: string[][] = [];
  readonly port: number;
  readonly #events = new EventEmitter();
  readonly #sockets = new Set<Socket>();
  readonly #certificate: SelfSigned | undefined;
  #server: Server | undefined;

  private constructor(server: Server, certificate: SelfSigned | undefined) {
    this.#certificate = certificate;
    this.port = (server.address() as AddressInfo).port;
    this.#server = this.#serve(server);
  }

  /** With a certificate it speaks TLS. */
  static async start(certificate?: SelfSigned): Promise<FakeRedis> {
    return new FakeRedis(await listen(0, certificate), certificate);
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves when no connection is open. */
  async allClosed(): Promise<void> {
    while (this.#sockets.size > 0) await once(this.#events, "closed");
  }

  /** Breaks all connections and refuses new ones. */
  async goAway(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server === undefined) return;
    server.close();
    await once(server, "close");
  }

  async comeBack(): Promise<void> {
    this.#server = this.#serve(await listen(this.port, this.#certificate));
  }

  #serve(server: Server): Server {
    return server.on(
      this.#certificate === undefined ? "connection" : "secureConnection",
      (socket: Socket) => {
        this.#sockets.add(socket);
        const read = commandReader((command) => this.#hear(socket, command));
        socket.on("error", () => undefined).on("data", read);
        socket.once("close", () => {
          this.#sockets.delete(socket);
          this.#events.emit("closed");
        });
      },
    );
  }

  #hear(socket: Socket, command: string[]): void {
    this.commands.push(command);
    const answer = this.answer(command);
    if (answer !== undefined) socket.write(answer);
  }
}

async function listen(port: number, certificate: SelfSigned | undefined): Promise<Server> {
  const server = certificate === undefined ? createServer() : createTlsServer({ ...certificate });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Puts commands, arrays of strings, together from what comes. */
function commandReader(use: (command: string[]) => void): (chunk: Buffer) => void {
  let text = "";
  return (chunk) => {
    text += chunk.toString("latin1");
    for (let next = firstCommand(text); next !== undefined; next = firstCommand(text)) {
      text = next.rest;
      use(next.command);
    }
  };
}

function firstCommand(text: string): { command: string[]; rest: string } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const command: string[] = [];
  let rest = text.slice(head[0].length);
  for (let left = Number(head[1]); left > 0; left--) {
    const size = /^\$(\d+)\r\n/.exec(rest);
    const start = size?.[0].length ?? 0;
    const end = start + Number(size?.[1] ?? 0);
    if (size === null || rest.length < end + 2) return undefined;
    command.push(rest.slice(start, end));
    rest = rest.slice(end + 2);
  }
  return { command, rest };
}
