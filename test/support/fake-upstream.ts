import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/** A request that the fake has received whole. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Resolves to `performance.now()` when the connection of this request's answer has closed. */
  readonly closed: Promise<number>;
}

/** What the fake does with a request; it may answer badly or not at all. */
export type Script = (response: ServerResponse, request: ReceivedRequest) => unknown;

/** A loopback upstream that does what a test scripts. */
export interface FakeUpstream {
  readonly port: number;
  readonly origin: string;
  readonly requests: ReceivedRequest[];
  /** Every request from now on; later scripts replace earlier ones. */
  play(script: Script): void;
  /** The next requests, one script each, before `play`'s. */
  playOnce(...scripts: Script[]): void;
  /** Resolves to the nth request, from 0. */
  request(index: number): Promise<ReceivedRequest>;
  /** Connections that are open now. */
  connections(): number;
}

/** Starts a fake upstream on a free port of 127.0.0.1; it ends with the test. */
export async function startFakeUpstream(
  script: Script = json({ ok: true }),
): Promise<FakeUpstream> {
  const upstream = await openFakeUpstream(script);
  onTestFinished(() => upstream.close());
  return upstream;
}

/** The same for a whole test file; close it in `afterAll`. */
export async function openFakeUpstream(
  script: Script = json({ ok: true }),
): Promise<FakeUpstream & { close(): Promise<void> }> {
  const requests: ReceivedRequest[] = [];
  const queue: Script[] = [];
  const sockets = new Set<Socket>();
  let standing = script;
  const server = createServer((message, response) => {
    void receive(message).then((request) => {
      requests.push(request);
      server.emit("received");
      return (queue.shift() ?? standing)(response, request);
    });
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    play: (next) => void (standing = next),
    playOnce: (...scripts) => void queue.push(...scripts),
    async request(index) {
      for (;;) {
        const found = requests[index];
        if (found !== undefined) return found;
        await once(server, "received");
      }
    },
    connections: () => sockets.size,
    async close() {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function receive(message: IncomingMessage): Promise<ReceivedRequest> {
  const closed = closeOf(message.socket);
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    rawHeaders: message.rawHeaders,
    body: Buffer.concat(chunks),
    closed,
  };
}

const closes = new WeakMap<Socket, Promise<number>>();

/** One listener per connection, however many requests it carries. */
function closeOf(socket: Socket): Promise<number> {
  const known = closes.get(socket);
  if (known !== undefined) return known;
  const closed = new Promise<number>((resolve) => {
    socket.once("close", () => resolve(performance.now()));
  });
  closes.set(socket, closed);
  return closed;
}

/** A JSON answer. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Script {
  return text(JSON.stringify(body), status, { "content-type": "application/json", ...headers });
}

/** Any body with any status and headers; its length is declared. */
export function text(
  body: string | Buffer,
  status = 200,
  headers: Record<string, string> = {},
): Script {
  return (response) => {
    const bytes = Buffer.from(body);
    response.writeHead(status, { "content-length": bytes.length, ...headers }).end(bytes);
  };
}

/** A compressed answer, whatever was asked for. */
export function gzipped(body: unknown): Script {
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  return text(gzipSync(JSON.stringify(body)), 200, headers);
}

export interface StreamOptions {
  /** Milliseconds between two pieces. */
  readonly everyMs?: number;
  readonly headers?: Record<string, string>;
  /** How it goes on after the last piece; `end` unless said. */
  readonly ending?: "end" | "reset" | "stall";
}

/** A stream of events in the given pieces, one write each. */
export function stream(pieces: readonly (string | Buffer)[], options: StreamOptions = {}): Script {
  const { everyMs = 0, headers = { "content-type": "text/event-stream" } } = options;
  return async (response) => {
    response.writeHead(200, headers);
    for (const piece of pieces) {
      response.write(piece);
      await delay(everyMs);
      if (response.destroyed) return;
    }
    if (options.ending === "reset") response.socket?.resetAndDestroy();
    else if (options.ending !== "stall") response.end();
  };
}

/** Closes the connection with a reset before anything is answered. */
export const reset: Script = (response) => {
  response.socket?.resetAndDestroy();
};

/** Never answers. */
export const stall: Script = () => {};

/** Answers after a while. */
export function late(milliseconds: number, script: Script): Script {
  return async (response, request) => {
    await delay(milliseconds);
    await script(response, request);
  };
}

/** Writes bytes past the HTTP server, then closes. */
export function rawBytes(bytes: string, end: "close" | "reset" = "close"): Script {
  return (response) => {
    response.socket?.write(bytes, () => {
      if (end === "reset") response.socket?.resetAndDestroy();
      else response.socket?.destroy();
    });
  };
}
