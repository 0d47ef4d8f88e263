import { once } from "node:events";
import { connect as connectHttp2, constants, type ClientHttp2Stream } from "node:http2";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpListener } from "../../../src/transport/front/create-http-front.ts";
import { createRestErrorRenderer } from "../../../src/transport/rest/error-body.ts";
import { frame, frameType, preface } from "../../fuzz/wire/http2-frames.ts";
import { bodyOf, openRaw, startFront, until } from "./start-front.ts";

function routes(app: FastifyInstance): void {
  app.get("/ok", () => ({ ok: true }));
  app.post("/echo", (request) => request.body);
  app.get("/half", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write("half");
  });
}

/** The code with which the server reset the stream. */
async function resetCode(stream: ClientHttp2Stream): Promise<number | undefined> {
  stream.on("error", () => {});
  await new Promise<void>((resolve) => stream.once("close", () => resolve()));
  return stream.rstCode;
}

const errorBody = createRestErrorRenderer(() => "");
const okRequest = "GET /ok HTTP/1.1\r\nhost: a\r\n\r\n";

describe("malformed requests", () => {
  test.each([
    ["no HTTP at all", "hello\r\n\r\n"],
    ["a space in the target", "GET /a b HTTP/1.1\r\nhost: a\r\n\r\n"],
    ["no host", "GET /ok HTTP/1.1\r\n\r\n"],
    [
      "both lengths",
      "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a TLS hello", "\u0016\u0003\u0001\u0002\u0000\u0001"],
  ])("%s: 400 in the flat error body", async (_name, bytes) => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write(Buffer.from(bytes, "latin1"));
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 400 /);
    expect(bodyOf(raw.received())).toMatchObject({ error: "invalid_request" });
    expect((await fetch(`${front.url}/ok`)).status).toBe(200);
  });

  test("carry the flat error body with the request id of the header", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write("nonsense\r\n\r\n");
    await raw.closed;
    const requestId = /x-request-id: (req_\w+)/.exec(raw.received())?.[1];
    expect(requestId).toBeDefined();
    expect(bodyOf(raw.received())).toMatchObject({
      error: "invalid_request",
      request_id: requestId,
    });
  });

  test("do not write into an answer that has begun", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write("GET /half HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => raw.received().includes("half"));
    raw.socket.write("nonsense\r\n\r\n");
    await raw.closed;
    expect(raw.received().split("HTTP/1.1")).toHaveLength(2);
  });

  test("that begin like HTTP/2 and are not close the connection, and nothing else", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nand then nonsense that is no frame");
    await raw.closed;
    expect((await fetch(`${front.url}/ok`)).status).toBe(200);
  });

  test("an expectation other than 100-continue is 417 in the flat error body", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write("GET /ok HTTP/1.1\r\nhost: a\r\nexpect: cake\r\nconnection: close\r\n\r\n");
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 417 /);
    expect(raw.received()).toContain('"error":"invalid_request"');
  });
});

describe("header floods", () => {
  test("are refused with 431 while the client still sends", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write("GET /ok HTTP/1.1\r\nhost: a\r\n");
    for (let index = 0; index < 200; index++)
      raw.socket.write(`x-${index}: ${"a".repeat(1000)}\r\n`);
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(raw.received())).toMatchObject({ error: "invalid_request" });
  });

  test("end the stream over HTTP/2 and nothing else", async () => {
    const front = await startFront(routes);
    const session = connectHttp2(front.url);
    onTestFinished(() => session.destroy());
    // Before the settings are exchanged the library's own limit of 64 KiB holds.
    await once(session, "remoteSettings");
    const headers: Record<string, string> = { ":path": "/ok" };
    for (let index = 0; index < 60; index++) headers[`x-${index}`] = "a".repeat(1000);
    expect(await resetCode(session.request(headers))).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect(session.closed).toBe(false);
    expect((await fetch(`${front.url}/ok`)).status).toBe(200);
  });
});

describe("slow clients", () => {
  test("a connection that sends nothing is closed", async () => {
    const front = await startFront(routes, { firstByteMs: 40 });
    const raw = await openRaw(front);
    await raw.closed;
    expect(raw.received()).toBe("");
  });

  test("a request whose headers trickle is ended with 408", async () => {
    const front = await startFront(routes, { headersMs: 150, requestMs: 10_000 });
    const raw = await openRaw(front);
    raw.socket.write("GET /ok HTTP/1.1\r\nhost: a\r\n");
    const trickle = setInterval(() => raw.socket.write("x: y\r\n"), 20);
    await raw.closed;
    clearInterval(trickle);
    expect(raw.received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("a body that trickles is ended with 408", async () => {
    const front = await startFront(routes, { headersMs: 150, requestMs: 200 });
    const raw = await openRaw(front);
    raw.socket.write(
      "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n",
    );
    const trickle = setInterval(() => raw.socket.write(" "), 20);
    await raw.closed;
    clearInterval(trickle);
    expect(raw.received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodyOf(raw.received())).toMatchObject({ error: "invalid_request" });
  });

  test("an HTTP/2 body that trickles is ended", async () => {
    const front = await startFront(routes, { headersMs: 150, requestMs: 200 });
    const session = connectHttp2(front.url);
    onTestFinished(() => session.destroy());
    const stream: ClientHttp2Stream = session.request({
      ":path": "/echo",
      ":method": "POST",
      "content-type": "application/json",
    });
    const trickle = setInterval(() => stream.write(" "), 20);
    const code = await resetCode(stream);
    clearInterval(trickle);
    expect(code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });

  test("an answer may take longer than the request may", async () => {
    const front = await startFront(
      (app) => {
        app.get("/late", async () => {
          await new Promise((resolve) => setTimeout(resolve, 400));
          return { late: true };
        });
      },
      { headersMs: 50, requestMs: 100 },
    );
    expect(await (await fetch(`${front.url}/late`)).json()).toEqual({ late: true });
  });
});

describe("idle and too many connections", () => {
  test("a kept-alive connection is closed after its time", async () => {
    const front = await startFront(routes, { keepAliveMs: 40 });
    const raw = await openRaw(front);
    raw.socket.write(okRequest);
    await raw.closed;
    expect(raw.received()).toContain("HTTP/1.1 200");
  });

  test("an idle HTTP/2 connection is closed with GOAWAY, one with an open stream is not", async () => {
    const front = await startFront(routes, { keepAliveMs: 60 });
    const busy = connectHttp2(front.url);
    onTestFinished(() => busy.destroy());
    const stream = busy.request({ ":path": "/half" });
    await once(stream, "data");
    const idle = connectHttp2(front.url);
    await Promise.all([once(idle, "goaway"), once(idle, "close")]);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(busy.closed).toBe(false);
  });

  test("connections that end, reset or send half a preface leave nothing behind", async () => {
    const front = await startFront(routes);
    const ends = await openRaw(front);
    const resets = await openRaw(front);
    const half = await openRaw(front);
    ends.socket.end();
    half.socket.end("PR");
    resets.socket.resetAndDestroy();
    await Promise.all([ends.closed, half.closed, resets.closed]);
    await until(() => front.front.connectionCount === 0);
    expect((await fetch(`${front.url}/ok`)).status).toBe(200);
  });
});

describe("listen()", () => {
  test("names the variable when the port is in use", async () => {
    const running = await startFront(routes);
    const second = createHttpListener({
      errorBody,
      variables: { host: "CAUSEWAY_HOST", port: "CAUSEWAY_TOOLS_PORT" },
    });
    await expect(second.listen("127.0.0.1", running.port)).rejects.toThrow(
      /^CAUSEWAY_TOOLS_PORT: port \d+ on 127\.0\.0\.1 is in use/,
    );
  });

  test("names the variable when the address is none of this machine", async () => {
    const front = createHttpListener({
      errorBody,
      variables: { host: "CAUSEWAY_HOST", port: "CAUSEWAY_PORT" },
    });
    await expect(front.listen("192.0.2.1", 0)).rejects.toThrow(/^CAUSEWAY_HOST: 192\.0\.2\.1/);
  });
});

describe("an HTTP/2 connection that we have ended", () => {
  test("is closed although its caller keeps its own end open", async () => {
    const running = await startFront(() => {});
    const socket = connect({ port: running.port, host: running.host, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const ended = once(socket.resume(), "end");
    // The caller says that it goes, and stays.
    const goAway = frame(frameType.goAway, 0, 0, Buffer.alloc(8));
    socket.write(Buffer.concat([preface, frame(frameType.settings, 0, 0), goAway]));
    await ended;
    await until(() => running.front.connectionCount === 0);
    expect(socket.writable).toBe(true);
  });
});
