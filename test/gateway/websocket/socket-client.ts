import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";

/** An event that came as a message. Tests look into events of every kind. */
// oxlint-disable-next-line typescript/no-explicit-any
export type SocketEvent = Record<string, any> & { readonly type: string };

const ends = new Set(["response.completed", "response.incomplete", "response.failed", "error"]);

/** A client of the WebSocket mode that waits for what it is told. */
export interface SocketClient {
  readonly socket: WebSocket;
  /** Sends one `response.create`. */
  create(body: object): void;
  /** The next message, parsed. */
  next(): Promise<SocketEvent>;
  /** The messages up to the one that ends the call. */
  answer(): Promise<SocketEvent[]>;
  /** Both: what a body is answered with. */
  ask(body: object): Promise<SocketEvent[]>;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a connection; it ends with the test. Rejects when the server refuses it. */
export async function openSocket(
  url: string,
  secret: string,
  options: ClientOptions = {},
): Promise<SocketClient> {
  const headers = { authorization: `Bearer ${secret}`, ...options.headers };
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, {
    ...options,
    headers,
  });
  onTestFinished(() => socket.terminate());
  const client = clientOf(socket);
  await once(socket, "open");
  return client;
}

function clientOf(socket: WebSocket): SocketClient {
  const came: SocketEvent[] = [];
  const waiting: ((event: SocketEvent) => void)[] = [];
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) throw new Error("A message is not text.");
    const event = JSON.parse(data.toString());
    const wake = waiting.shift();
    if (wake === undefined) came.push(event);
    else wake(event);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const create = (body: object): void => {
    socket.send(JSON.stringify({ type: "response.create", ...body }));
  };
  const next = (): Promise<SocketEvent> => {
    const event = came.shift();
    if (event !== undefined) return Promise.resolve(event);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const answer = async (): Promise<SocketEvent[]> => {
    const events: SocketEvent[] = [];
    do events.push(await next());
    while (!ends.has(events.at(-1)?.type ?? ""));
    return events;
  };
  const ask = (body: object): Promise<SocketEvent[]> => {
    create(body);
    return answer();
  };
  return { socket, create, next, answer, ask, closed };
}
