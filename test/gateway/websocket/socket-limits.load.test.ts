import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/platform/errors.ts";
import { stream } from "../../support/fake-upstream.ts";
import { wordsFrame } from "../transcode/upstream-frames.ts";
import { pausedStream } from "../turn/paused-stream.ts";
import { createFrame, frame, gone, opening, openRaw, rest } from "./raw-socket.ts";
import { startSocketApp } from "./socket-app.ts";
import { openSocket } from "./socket-client.ts";
import { startSocketInstance } from "./socket-instance.ts";

const model = "custom/acme/m";

describe("the connections of one account", () => {
  it("are refused with 429 beyond their bound, until one closes, and those of others are not", async () => {
    const { url, models } = await startSocketApp({ accountConnections: 2 });
    const { accountId } = models.principal;
    const first = await openSocket(url, models.token);
    await openSocket(url, models.token);
    await expect(openSocket(url, models.token)).rejects.toThrow("429");
    models.setAccount("user_other");
    const other = await openSocket(url, models.token);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    models.setAccount(accountId);
    first.socket.terminate();
    await expect
      .poll(() =>
        openSocket(url, models.token).then(
          () => "open",
          (error: unknown) => String(error),
        ),
      )
      .toBe("open");
  });

  it("do not count one that its key's own bound refuses", async () => {
    let isFull = true;
    const { url, models } = await startSocketApp(
      { accountConnections: 1 },
      {
        count: async () => {
          if (isFull) throw new ApiError("rate_limited", "The key has enough.");
          return () => undefined;
        },
      },
    );
    await expect(openSocket(url, models.token)).rejects.toThrow("429");
    isFull = false;
    const { socket } = await openSocket(url, models.token);
    expect(socket.readyState).toBe(socket.OPEN);
  });
});

describe("the connections of one address", () => {
  it("are refused with 429 beyond their bound, whatever their accounts", async () => {
    const { url, models } = await startSocketApp({ addressConnections: 2 });
    const first = await openSocket(url, models.token);
    models.setAccount("user_other");
    await openSocket(url, models.token);
    await expect(openSocket(url, models.token)).rejects.toThrow("429");
    await openSocket(url, models.token, { localAddress: "127.0.0.2" });
    first.socket.terminate();
    await expect
      .poll(() =>
        openSocket(url, models.token).then(
          () => "open",
          (error: unknown) => String(error),
        ),
      )
      .toBe("open");
  });

  it("do not give way to others when the port is full", async () => {
    const { url, models } = await startSocketApp({}, { frontLimits: { maxConnections: 1 } });
    const { socket } = await openSocket(url, models.token);
    await expect(openSocket(url, models.token, { localAddress: "127.0.0.2" })).rejects.toThrow(
      /ECONNRESET|socket hang up/,
    );
    expect(socket.readyState).toBe(socket.OPEN);
  });
});

describe("a connection", () => {
  it("[socket.age] is told of its age and closed", async () => {
    const { url, models } = await startSocketApp({ lifetimeMs: 100, everyMs: 20 });
    const client = await openSocket(url, models.token);
    expect(await client.next()).toMatchObject({
      type: "error",
      status: 400,
      error: { code: "websocket_connection_limit_reached", message: expect.any(String) },
    });
    expect(await client.closed).toMatchObject({ code: 1000 });
  });

  it("[socket.age] is closed for its age behind the call that is under way", async () => {
    const { url, upstream, models } = await startSocketApp({ lifetimeMs: 50, everyMs: 10 });
    const held = pausedStream();
    upstream.play(held.script);
    const client = await openSocket(url, models.token);
    client.create({ model, input: "One?" });
    await held.begun;
    for (let pings = 0; pings < 10; pings++) await once(client.socket, "ping");
    held.say("Good day.");
    held.end();
    expect((await client.answer()).at(-1)).toMatchObject({ type: "response.completed" });
    expect(await client.next()).toMatchObject({ type: "error" });
    expect(await client.closed).toMatchObject({ code: 1000 });
  });

  it("is pinged while nothing is said, and need not answer", async () => {
    const { url, models } = await startSocketApp({ everyMs: 10 });
    const client = await openSocket(url, models.token, { autoPong: false });
    for (let pings = 0; pings < 5; pings++) await once(client.socket, "ping");
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it("is cut when a message takes too long to arrive", async () => {
    const { url, models } = await startSocketApp({ messageMs: 50, everyMs: 10 });
    const socket = await openRaw(url, models.token);
    socket.write(frame(opening.text, Buffer.alloc(1000)).subarray(0, 500));
    const told = await rest(socket);
    expect(told.toString()).toContain("took too long");
    await expect.poll(() => models.bodies.all.bytes).toBe(0);
  });

  it("is cut when its caller does not read an answer, which is held back meanwhile", async () => {
    const { url, upstream, models } = await startSocketApp(
      { everyMs: 1000 },
      { callLimits: { blockedMs: 300 } },
    );
    const pieces = Array.from({ length: 4000 }, () => wordsFrame("chat", "word ".repeat(2000)));
    upstream.play(stream(pieces));
    const socket = await openRaw(url, models.token);
    socket.pause();
    socket.write(createFrame({ model, input: "x" }));
    const record = await models.record(0);
    expect(record.responseBytes).toBeLessThan(pieces.join("").length);
    await (
      await upstream.request(0)
    ).closed;
    socket.resume();
    await gone(socket);
  });
});

describe("a server that stops", () => {
  it("[socket.close] closes idle connections with 1001 at once, others behind their call", async () => {
    const { causeway, upstream, caller, close } = await startSocketInstance();
    const { secret } = await caller();
    const held = pausedStream();
    upstream.play(held.script);
    const [idle, busy] = [
      await openSocket(causeway.url, secret),
      await openSocket(causeway.url, secret),
    ];
    busy.create({ model: "custom/chat/m", input: "One?" });
    await held.begun;
    const stopped = causeway.instance.stop();
    expect(await idle.closed).toMatchObject({ code: 1001 });
    held.say("Good day.");
    held.end();
    expect((await busy.answer()).at(-1)).toMatchObject({ type: "response.completed" });
    expect(await busy.closed).toMatchObject({ code: 1001 });
    await stopped;
    await close();
  });

  it("[socket.close] ends a call at the drain deadline with an error, then closes with 1001", async () => {
    const { causeway, upstream, caller, close } = await startSocketInstance();
    const { secret } = await caller();
    const held = pausedStream();
    upstream.play(held.script);
    const client = await openSocket(causeway.url, secret);
    client.create({ model: "custom/chat/m", input: "One?" });
    await held.begun;
    const stopped = causeway.instance.stop();
    expect((await client.answer()).at(-1)?.type).toMatch(/error|response.failed/);
    expect(await client.closed).toMatchObject({ code: 1001 });
    await stopped;
    await close();
  });
});
