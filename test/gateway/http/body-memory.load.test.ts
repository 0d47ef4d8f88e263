import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { json, stall, stream, type Script } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { addUpstreams, call, modelFor, readError, routes, type Route } from "../call.ts";
import type { ModelApp } from "../model-app.ts";
import { streamFrames } from "../stream-frames.ts";

const mebibyte = 1024 * 1024;

/** Four mebibytes in all, one of each account. */
const few = { limits: { heldBodiesMib: 4 } };

/** A body of so many bytes. */
function bodyOf(route: Route, bytes: number, more: object = {}): string {
  const body = JSON.stringify({ model: modelFor(route), ...more, user: "" });
  return body.replace('"user":""', `"user":"${"x".repeat(bytes - body.length)}"`);
}

/** A call that announces its length, or sends chunks, and of which `sent` is sent. */
function send(app: ModelApp, route: Route, sent: string, length?: number): Socket {
  const socket = connect(app.port, "127.0.0.1").on("error", () => {});
  const framing = length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`;
  socket.write(
    `POST ${route.path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
      `content-type: application/json\r\n${framing}\r\n\r\n`,
  );
  socket.write(length === undefined ? `${sent.length.toString(16)}\r\n${sent}\r\n` : sent);
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  await waitUntil(() => Buffer.concat(pieces).includes("\r\n\r\n"));
  return Buffer.concat(pieces).toString();
}

/** Of buffers, without garbage. */
function takenBytes(): number {
  // The runner's own flags do not allow its collection.
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}

describe("a large body", () => {
  const [route] = routes;
  const most = bodyOf(route, 20 * mebibyte);

  it("[limits.held-bodies-released] leaves no memory taken when its call has ended, on a connection that goes on", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play((response, request) => {
      upstream.requests.splice(0);
      return json({ bytes: request.body.length })(response, request);
    });
    // Other files of the worker hold memory too.
    const before = takenBytes();
    for (let count = 0; count < 4; count++) {
      expect((await call(app, route.path, most)).status).toBe(200);
    }
    await waitUntil(() => takenBytes() < before + most.length / 2);
  });
});

describe.each(routes)("bodies of calls to $name", (route) => {
  const most = bodyOf(route, 0.75 * mebibyte);

  it("[limits.held-bodies-key] are 429 over the share of one account, before they are read, until one has ended", async () => {
    const { app, upstream } = await startAppWithUpstream(few);
    upstream.playOnce(stall);
    const first = send(app, route, most, most.length);
    await upstream.request(0);
    expect(app.bodies.all.bytes).toBe(most.length);
    const second = send(app, route, "", most.length);
    const refused = await answerTo(second);
    expect(refused).toMatch(/^HTTP\/1.1 429 /);
    expect(refused.toLowerCase()).toContain("\r\nretry-after: 1\r\n");
    const third = await call(app, route.path, most);
    expect(readError(third.body)).toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("1 MiB together"),
    });
    first.destroy();
    second.destroy();
    await waitUntil(() => app.bodies.all.bytes === 0);
    expect((await call(app, route.path, most)).status).toBe(200);
    expect(app.faults).toEqual([]);
  });

  it("[limits.held-bodies] are 503 when the process holds as many as it may", async () => {
    const { app, upstream } = await startAppWithUpstream(few);
    upstream.playOnce(...Array.from({ length: 5 }, () => stall));
    const sockets: Socket[] = [];
    const caller = (index: number) => {
      const accountId = `user_${index}`;
      app.setAccount(accountId);
      addUpstreams(app, upstream.origin, { ...app.principal, accountId });
    };
    for (let index = 0; index < 5; index++) {
      caller(index);
      sockets.push(send(app, route, most, most.length));
      await upstream.request(index);
    }
    caller(5);
    const refused = await call(app, route.path, most);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect(readError(refused.body)).toMatchObject({ code: "unavailable" });
    expect((await call(app, route.path, bodyOf(route, 0.2 * mebibyte))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await waitUntil(() => app.bodies.all.bytes === 0);
  });

  it("are ended with 429 where they are served for the account with the most, for one with less", async () => {
    const { app, upstream } = await startAppWithUpstream(few);
    upstream.playOnce(...Array.from({ length: 4 }, () => stall));
    const caller = (index: number) => {
      const accountId = `user_${index}`;
      app.setAccount(accountId);
      addUpstreams(app, upstream.origin, { ...app.principal, accountId });
    };
    const sockets: Socket[] = [];
    for (let index = 0; index < 4; index++) {
      caller(index);
      const body = bodyOf(route, (index === 2 ? 0.96875 : 0.9375) * mebibyte);
      sockets.push(send(app, route, body, body.length));
      await upstream.request(index);
    }
    caller(4);
    const less = call(app, route.path, bodyOf(route, 0.5 * mebibyte));
    const ended = await answerTo(sockets[2] as Socket);
    expect(ended).toMatch(/^HTTP\/1.1 429 /);
    expect(ended.toLowerCase()).toContain("\r\nretry-after: 1\r\n");
    expect((await less).status).toBe(200);
    await upstream.requests[2]?.closed;
    expect((await app.record(0)).errorCode).toBe("rate_limited");
    for (const socket of sockets) socket.destroy();
    await waitUntil(() => app.bodies.all.bytes === 0);
    expect(app.faults).toEqual([]);
  });

  it("[limits.held-bodies-unknown] of unknown length count as they arrive", async () => {
    const { app, upstream } = await startAppWithUpstream(few);
    const first = send(app, route, most);
    await waitUntil(() => app.bodies.all.bytes === most.length);
    const second = send(app, route, most);
    expect(await answerTo(second)).toMatch(/^HTTP\/1.1 429 /);
    expect(app.bodies.all.bytes).toBe(most.length);
    first.write("0\r\n\r\n");
    expect(await answerTo(first)).toMatch(/^HTTP\/1.1 200 /);
    expect(upstream.requests.at(-1)?.body.length).toBeGreaterThan(0.7 * mebibyte);
    second.destroy();
    first.destroy();
    await waitUntil(() => app.bodies.all.bytes === 0);
  });

  const frames = streamFrames[route.name];
  const endings: [string, Script][] = [
    ["has its answer", json({ a: 1 })],
    ["has its stream", stream(frames)],
    ["fails at its upstream", (response) => response.socket?.resetAndDestroy()],
    ["has an error of its upstream", json({ error: { message: "no" } }, 500)],
    ["has a stream that breaks off", stream(frames.slice(0, 2), { ending: "reset" })],
    ["is too slow", stall],
  ];
  it.each(endings)(
    "[limits.held-bodies-released] are given back once when a call %s",
    async (_, script) => {
      const { app, upstream } = await startAppWithUpstream({
        limits: { heldBodiesMib: 4, firstByteMs: 200 },
      });
      upstream.play(script);
      for (const isStream of [true, false]) {
        await call(app, route.path, bodyOf(route, 1000, { stream: isStream })).catch(
          () => undefined,
        );
        await waitUntil(() => app.bodies.all.bytes === 0);
      }
      expect(app.records).toHaveLength(2);
    },
  );

  it.each([
    ["before it was whole", "{", 1000],
    ["when it was no JSON", "{]", 2],
    ["in the middle of it", "{", undefined],
  ])("are given back once when the caller left or was refused %s", async (_, sent, length) => {
    const { app } = await startAppWithUpstream(few);
    const socket = send(app, route, sent, length);
    await waitUntil(() => app.bodies.all.bytes > 0 || app.records.length > 0);
    socket.destroy();
    await app.record(0);
    expect(app.bodies.all.bytes).toBe(0);
  });
});
