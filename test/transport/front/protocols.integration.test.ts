import { once } from "node:events";
import { Agent, type IncomingMessage, request as http1Request } from "node:http";
import { connect as connectHttp2, constants } from "node:http2";
import { text } from "node:stream/consumers";
import type { FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRaw, startFront, until } from "./start-front.ts";

function echoRoutes(app: FastifyInstance): void {
  app.get("/version", (request) => ({ version: request.raw.httpVersion }));
  app.post("/echo", (request) => request.body);
}

const versionRequest = "GET /version HTTP/1.1\r\nhost: a\r\n\r\n";

async function requestHttp2(url: string, path: string): Promise<{ status: number; body: unknown }> {
  const session = connectHttp2(url);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":path": path });
  const [headers] = (await once(stream, "response")) as [Record<string, string | number>];
  return { status: Number(headers[":status"]), body: JSON.parse(await text(stream)) };
}

describe("one port", () => {
  test("serves HTTP/1.1 and HTTP/2 from the same routes", async () => {
    const front = await startFront(echoRoutes);
    const plain = await fetch(`${front.url}/version`);
    expect(await plain.json()).toEqual({ version: "1.1" });
    const two = await requestHttp2(front.url, "/version");
    expect(two).toEqual({ status: 200, body: { version: "2.0" } });
  });

  test("refuses a transfer coding other than chunked with 501", async () => {
    const front = await startFront(echoRoutes);
    const raw = await openRaw(front);
    const head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
    raw.socket.write(`${head}transfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1.1 501 /);
    expect(raw.received()).toContain('"param":"transfer-encoding"');
  });

  test("serves requests whose first bytes arrive one by one", async () => {
    const front = await startFront(echoRoutes);
    const raw = await openRaw(front);
    for (const byte of "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n") {
      raw.socket.write(byte);
      await new Promise(setImmediate);
    }
    raw.socket.write('content-length: 7\r\n\r\n{"a":1}');
    await until(() => raw.received().includes('{"a":1}'));
    expect(raw.received()).toContain("HTTP/1.1 200");
  });

  test("serves an HTTP/2 preface that arrives in pieces", async () => {
    const front = await startFront(echoRoutes);
    const raw = await openRaw(front);
    raw.socket.write("P");
    await new Promise(setImmediate);
    raw.socket.write("RI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    raw.socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    // The server answers the preface with its SETTINGS frame: type 4 on stream 0.
    await until(() => raw.received().length >= 9);
    expect(raw.received().charCodeAt(3)).toBe(4);
  });

  test("serves a request and the end of its connection in one packet", async () => {
    const front = await startFront(echoRoutes);
    const raw = await openRaw(front);
    raw.socket.end("GET /version HTTP/1.0\r\n\r\n");
    await raw.closed;
    expect(raw.received()).toContain("HTTP/1.1 200");
  });

  test("keeps a connection for many requests, pipelined ones included", async () => {
    const front = await startFront(echoRoutes);
    const raw = await openRaw(front);
    raw.socket.write(versionRequest + versionRequest);
    await until(() => raw.received().split("HTTP/1.1 200").length === 3);
    raw.socket.write(versionRequest);
    await until(() => raw.received().split("HTTP/1.1 200").length === 4);
    expect(front.front.connectionCount).toBe(1);
  });

  test("sends 100 Continue and takes the body", async () => {
    const front = await startFront(echoRoutes);
    const request = http1Request(`${front.url}/echo`, {
      method: "POST",
      agent: new Agent(),
      headers: { expect: "100-continue", "content-type": "application/json" },
    });
    request.flushHeaders();
    await once(request, "continue");
    request.end('{"a":1}');
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(await text(response)).toBe('{"a":1}');
  });

  test("listens on an IPv6 address, with and without brackets", async () => {
    const plain = await startFront(echoRoutes, {}, "::1");
    const bracketed = await startFront(echoRoutes, {}, "[::1]");
    for (const front of [plain, bracketed]) {
      expect(front.host).toBe("::1");
      expect((await fetch(`${front.url}/version`)).status).toBe(200);
    }
  });

  test("answers a streamed HTTP/2 response in order", async () => {
    const front = await startFront((app) => {
      app.get("/stream", (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { "content-type": "text/plain" });
        reply.raw.write("one ");
        setImmediate(() => reply.raw.end("two"));
      });
    });
    const session = connectHttp2(front.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({ [constants.HTTP2_HEADER_PATH]: "/stream" });
    expect(await text(stream)).toBe("one two");
  });
});
