import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import type { FastifyInstance, FastifyReply } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRaw, startFront, until } from "./start-front.ts";

/** `/stream` stays open until the test ends the reply that it got. */
function streamRoutes(open: FastifyReply["raw"][]): (app: FastifyInstance) => void {
  return (app) => {
    app.get("/ok", () => ({ ok: true }));
    app.get("/stream", (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200);
      reply.raw.write("first ");
      open.push(reply.raw);
    });
  };
}

const minute = 60_000;

describe("drain()", () => {
  test("closes idle and silent connections at once", async () => {
    const running = await startFront(streamRoutes([]));
    const idle = await openRaw(running);
    idle.socket.write("GET /ok HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => idle.received().includes("true"));
    const silent = await openRaw(running);
    await until(() => running.front.connectionCount === 2);
    await running.front.drain(minute);
    await Promise.all([idle.closed, silent.closed]);
    expect(running.front.connectionCount).toBe(0);
  });

  test("refuses new connections", async () => {
    const running = await startFront(streamRoutes([]));
    await running.front.drain(minute);
    const late = connect(running.port, running.host);
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  test("lets streams in flight end, then closes their connections", async () => {
    const open: FastifyReply["raw"][] = [];
    const running = await startFront(streamRoutes(open));
    const raw = await openRaw(running);
    raw.socket.write("GET /stream HTTP/1.1\r\nhost: a\r\n\r\n");
    const session = connectHttp2(running.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":path": "/stream" });
    let received = "";
    stream.on("data", (chunk: Buffer) => (received += chunk.toString()));
    await until(() => open.length === 2);
    const drained = running.front.drain(minute);
    await once(session, "goaway");
    for (const response of open) response.end("last");
    await drained;
    await raw.closed;
    expect(received).toBe("first last");
    expect(raw.received()).toContain("last");
    expect(running.front.deadline.aborted).toBe(false);
  });

  test("after the deadline tells the streams, then cuts them", async () => {
    const open: FastifyReply["raw"][] = [];
    const running = await startFront(streamRoutes(open));
    const raw = await openRaw(running);
    raw.socket.write("GET /stream HTTP/1.1\r\nhost: a\r\n\r\n");
    const stubborn = await openRaw(running);
    stubborn.socket.write("GET /stream HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => open.length === 2);
    running.front.deadline.addEventListener("abort", () => open[0]?.end("farewell"));
    await running.front.drain(30);
    await Promise.all([raw.closed, stubborn.closed]);
    expect(raw.received()).toContain("farewell");
    await until(() => running.front.connectionCount === 0);
  });

  test("answers a request that was on its way with connection: close", async () => {
    const open: FastifyReply["raw"][] = [];
    const running = await startFront(streamRoutes(open));
    const raw = await openRaw(running);
    raw.socket.write("GET /stream HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => open.length === 1);
    const drained = running.front.drain(minute);
    raw.socket.write("GET /ok HTTP/1.1\r\nhost: a\r\n\r\n");
    await new Promise(setImmediate);
    open[0]?.end("last");
    await drained;
    await raw.closed;
    expect(raw.received()).toContain("last");
  });

  test("may be called without a connection and twice", async () => {
    const running = await startFront(streamRoutes([]));
    await running.front.drain(0);
    await running.front.drain(0);
    expect(running.front.connectionCount).toBe(0);
  });
});
