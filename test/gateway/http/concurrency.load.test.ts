import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { json, stall, stream, type Script } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import {
  addUpstreams,
  call,
  modelFor,
  readError,
  routes,
  type Reply,
  type Route,
} from "../call.ts";
import type { ModelApp, ModelAppOptions } from "../model-app.ts";
import { streamFrames } from "../stream-frames.ts";

const bucket = { requestsPerMinute: 1, burst: 50 };
/** One call at once, and a bucket that regains nothing while a test runs. */
const oneAtOnce: ModelAppOptions = {
  key: { rateLimit: { ...bucket, concurrentRequests: 1 } },
};

/** A call whose body is `body`, of which it announces `length` bytes. */
function send(app: ModelApp, route: Route, body: string, length = body.length): Socket {
  const socket = connect(app.port, "127.0.0.1").on("error", () => {});
  const expectation = body === "" ? "100-continue" : undefined;
  socket.write(head(app, route, length, expectation) + body);
  return socket;
}

function head(app: ModelApp, route: Route, length: number, expectation?: string): string {
  return (
    `POST ${route.path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${length}\r\n` +
    (expectation === undefined ? "\r\n" : `expect: ${expectation}\r\n\r\n`)
  );
}

function left({ headers }: Reply): string | undefined {
  return /;r=(\d+)/.exec(String(headers["ratelimit"]))?.[1];
}

describe.each(routes)("calls of one key to $name at once", (route) => {
  const body = { model: modelFor(route) };
  const text = JSON.stringify(body);
  const streamed = JSON.stringify({ ...body, stream: true });

  it("are refused over the cap, which takes nothing out of the bucket", async () => {
    const { app, upstream } = await startAppWithUpstream(oneAtOnce);
    upstream.playOnce(stall);
    const first = send(app, route, text);
    await upstream.request(0);
    const second = await call(app, route.path, body, { "x-request-id": "second" });
    expect([second.status, second.headers["retry-after"], left(second)]).toEqual([429, "1", "49"]);
    expect(readError(second.body)).toMatchObject({
      code: "rate_limited",
      type: "rate_limit_error",
      requestId: "second",
    });
    expect(upstream.requests).toHaveLength(1);
    first.destroy();
    await app.record(1);
    const third = await call(app, route.path, body);
    expect([third.status, left(third)]).toEqual([200, "48"]);
  });

  it("are refused before their bodies are read", async () => {
    const { app, upstream } = await startAppWithUpstream(oneAtOnce);
    upstream.playOnce(stall);
    const first = send(app, route, text);
    await upstream.request(0);
    const second = send(app, route, "", 1_000_000);
    const pieces: Buffer[] = [];
    second.on("data", (piece: Buffer) => pieces.push(piece));
    await waitUntil(() => Buffer.concat(pieces).includes("HTTP/1.1 429 "));
    expect(upstream.requests).toHaveLength(1);
    second.destroy();
    first.destroy();
  });

  const frames = streamFrames[route.name];
  const endings: [string, Script, string, number?][] = [
    ["has its answer", json({ a: 1 }), text],
    ["has its stream", stream(frames), streamed],
    ["is refused after it was let in", stall, "{"],
    ["fails at its upstream", (response) => response.socket?.resetAndDestroy(), text],
    ["has an error of its upstream", json({ error: { message: "no" } }, 500), text],
    ["has a stream that breaks off", stream(frames.slice(0, 2), { ending: "reset" }), streamed],
  ];
  it.each(endings)("make room when one %s", async (_, script, sent) => {
    const { app, upstream } = await startAppWithUpstream(oneAtOnce);
    for (let count = 0; count < 3; count++) {
      upstream.play(script);
      const socket = send(app, route, sent);
      await app.record(count);
      socket.destroy();
    }
    upstream.play(json({ a: 1 }));
    expect((await call(app, route.path, body)).status).toBe(200);
  });

  const moments: [string, string, Script][] = [
    ["before its body is there", "", stall],
    ["before its answer", text, stall],
    ["in the middle of a stream", streamed, stream(frames.slice(0, 2), { ending: "stall" })],
  ];
  it.each(moments)("make room when the caller of one leaves %s", async (_, sent, script) => {
    const { app, upstream } = await startAppWithUpstream({ ...oneAtOnce, cold: true });
    for (let count = 0; count < 3; count++) {
      upstream.play(script);
      const socket = send(app, route, sent, sent.length || 1000);
      // A body that is announced is asked for when the call was let in.
      if (sent === text) await upstream.request(count);
      else await once(socket, "data");
      socket.destroy();
      expect(await app.record(count)).toMatchObject({ status: 499 });
    }
    upstream.play(json({ a: 1 }));
    expect((await call(app, route.path, body)).status).toBe(200);
  });
});

describe("calls at once", () => {
  const [route] = routes;
  const body = { model: modelFor(route) };
  const text = JSON.stringify(body);

  it.each([
    ["are configured", 2, {}],
    ["the key says, where it says more", 1, { rateLimit: { ...bucket, concurrentRequests: 2 } }],
    ["the key says, where it says less", 3, { rateLimit: { ...bucket, concurrentRequests: 2 } }],
  ])("may be as many as %s", async (_, concurrentRequests, key) => {
    const { app, upstream } = await startAppWithUpstream({ limits: { concurrentRequests }, key });
    upstream.play(stall);
    const sockets = [send(app, route, text), send(app, route, text)];
    await upstream.request(1);
    const third = await call(app, route.path, body);
    expect([third.status, third.headers["retry-after"]]).toEqual([429, "1"]);
    expect(readError(third.body).message).toContain("2 model calls under way");
    for (const socket of sockets) socket.destroy();
  });

  it("are refused with 503 when the process has as many of all keys as it takes", async () => {
    const { app, upstream } = await startAppWithUpstream({ limits: { processRequests: 2 } });
    upstream.playOnce(stall, stall);
    const first = send(app, route, text);
    await upstream.request(0);
    app.setAccount("user_b");
    addUpstreams(app, upstream.origin);
    const second = send(app, route, text);
    await upstream.request(1);
    app.setAccount("user_c");
    addUpstreams(app, upstream.origin);
    const third = await call(app, route.path, body);
    expect([third.status, third.headers["retry-after"]]).toEqual([503, "1"]);
    expect(readError(third.body)).toMatchObject({ code: "unavailable" });
    expect(third.headers["ratelimit"]).toBeDefined();
    first.destroy();
    await app.record(1);
    expect((await call(app, route.path, body)).status).toBe(200);
    second.destroy();
  });

  it("are refused with 429 when the keys of one account have a quarter of what the process takes", async () => {
    const { app, upstream } = await startAppWithUpstream({ limits: { processRequests: 8 } });
    upstream.playOnce(stall, stall);
    const sockets: Socket[] = [];
    for (const index of [0, 1]) {
      sockets.push(send(app, route, text));
      await upstream.request(index);
      app.setKey({});
    }
    const third = await call(app, route.path, body);
    expect([third.status, third.headers["retry-after"]]).toEqual([429, "1"]);
    expect(readError(third.body)).toMatchObject({ code: "rate_limited" });
    expect(readError(third.body).message).toContain("This account may have 2 model calls");
    app.setAccount("user_b");
    addUpstreams(app, upstream.origin);
    expect((await call(app, route.path, body)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it("are counted for each key by itself", async () => {
    const { app, upstream } = await startAppWithUpstream(oneAtOnce);
    upstream.playOnce(stall);
    const first = send(app, route, text);
    await upstream.request(0);
    app.setKey({ rateLimit: { ...bucket, concurrentRequests: 1 } });
    expect((await call(app, route.path, body)).status).toBe(200);
    first.destroy();
  });

  it("make room when a caller leaves that had sent several on one connection", async () => {
    const { app, upstream } = await startAppWithUpstream({
      key: { rateLimit: { ...bucket, concurrentRequests: 2 } },
    });
    upstream.playOnce(stall, stall);
    const pair = head(app, route, text.length) + text;
    const socket = connect(app.port, "127.0.0.1").on("error", () => {});
    socket.write(pair + pair);
    await upstream.request(1);
    expect((await call(app, route.path, body)).status).toBe(429);
    socket.destroy();
    await app.record(2);
    expect((await call(app, route.path, body)).status).toBe(200);
    expect((await call(app, route.path, body)).status).toBe(200);
  });

  it("may be a thousand streams by default", { timeout: 60_000 }, async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream(streamFrames.chat.slice(0, 1), { ending: "stall" }));
    const streamed = JSON.stringify({ ...body, stream: true });
    const sockets = Array.from({ length: 1000 }, () => send(app, route, streamed));
    const heads = await Promise.all(sockets.map((socket) => once(socket, "data")));
    const statuses = heads.map(([data]) => String(data).slice(0, 15));
    expect(new Set(statuses)).toEqual(new Set(["HTTP/1.1 200 OK"]));
    for (const socket of sockets) socket.destroy();
    await waitUntil(() => app.streams.value === 0);
  });
});
