import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fastify, type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import {
  createHttpListener,
  type HttpListener,
} from "../../../src/transport/front/create-http-front.ts";
import { createRestErrorRenderer } from "../../../src/transport/rest/error-body.ts";
import type { HttpListenerLimits } from "../../../src/transport/front/front-limits.ts";

export interface RunningHttpFront {
  readonly front: HttpListener;
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/** A front on a free port with the routes of `register`, closed with the test. */
export async function startFront(
  register: (app: FastifyInstance) => void,
  limits: Partial<HttpListenerLimits> = {},
  host = "127.0.0.1",
  trustedProxies: readonly string[] = [],
): Promise<RunningHttpFront> {
  const front = createHttpListener({
    errorBody: createRestErrorRenderer((code) => `http://docs.example/errors#${code}`),
    variables: { host: "CAUSEWAY_HOST", port: "CAUSEWAY_PORT" },
    limits: { goawayGraceMs: 50, checkMs: 50, ...limits },
    trustedProxies,
  });
  const app = fastify({ ...front.fastifyOptions });
  front.watchAnswers(app);
  register(app);
  await app.ready();
  const address = await front.listen(host, 0);
  onTestFinished(async () => {
    await front.drain(0);
    await app.close();
  });
  const name = address.host.includes(":") ? `[${address.host}]` : address.host;
  return { front, ...address, url: `http://${name}:${address.port}` };
}

/** A raw connection: what it received so far, and when it was closed by the server. */
export interface RawConnection {
  readonly socket: Socket;
  received(): string;
  readonly closed: Promise<void>;
}

/** `localAddress`: the address that the server sees. */
export async function openRaw(
  { port, host }: RunningHttpFront,
  localAddress?: string,
): Promise<RawConnection> {
  const socket = connect({ port, host, ...(localAddress !== undefined && { localAddress }) });
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return { socket, received: () => text, closed };
}

/** Waits until the condition holds; the test's own time-out ends a wait in vain. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

/** The JSON body of a raw HTTP/1.1 response. */
export function bodyOf(response: string): Record<string, unknown> {
  return JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
}
