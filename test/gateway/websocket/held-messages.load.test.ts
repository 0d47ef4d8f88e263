import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { streamFrames } from "../stream-frames.ts";
import { wordsFrame } from "../transcode/upstream-frames.ts";
import { createFrame, frame, gone, opening, openRaw, rest } from "./raw-socket.ts";
import { startSocketApp } from "./socket-app.ts";

const model = "custom/acme/m";

const megabyte = 1_000_000;

/** Megabytes take a busy machine more than the second that is usual. */
const slowly = { timeout: 10_000 };

describe("a message over WebSocket", () => {
  it("counts as held while it waits for the end of the call before it", async () => {
    const { url, upstream, models } = await startSocketApp({});
    const asked = Promise.withResolvers<ServerResponse>();
    upstream.play((response) => asked.resolve(response));
    const socket = await openRaw(url, models.token);
    socket.write(createFrame({ model, input: "One?" }));
    const answer = await asked.promise;
    answer.writeHead(200, { "content-type": "text/event-stream" });
    for (let words = 0; words < 8; words++) answer.write(wordsFrame("chat", "x".repeat(megabyte)));
    answer.end(streamFrames.chat.slice(-3).join(""));
    // Four events at the end repeat the whole text. The caller stops in the middle of the last
    // one, which does not fit into the buffers in between.
    for (let bytes = 0; bytes < 33 * megabyte;) bytes += (await once(socket, "data"))[0].length;
    socket.pause();
    socket.write(createFrame({ model, input: "x".repeat(megabyte) }));
    await expect.poll(() => models.bodies.all.bytes, slowly).toBeGreaterThan(megabyte);
    for (let turns = 0; turns < 20; turns++) await immediate();
    expect(models.bodies.all.bytes).toBeGreaterThan(megabyte);
    socket.destroy();
    await gone(socket);
    await expect.poll(() => models.bodies.all.bytes, slowly).toBe(0);
  });

  it("counts as held while its call is admitted", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { url, models } = await startSocketApp({}, { admission: promise });
    const socket = await openRaw(url, models.token);
    socket.write(createFrame({ model, input: "x".repeat(megabyte) }));
    socket.write(createFrame({ model, input: "refused" }));
    await once(socket, "data");
    expect(models.bodies.all.bytes).toBeGreaterThan(megabyte);
    resolve();
    socket.destroy();
    await expect.poll(() => models.bodies.all.bytes, slowly).toBe(0);
  });

  it("counts as held with the answer of no model until that is read", async () => {
    const { url, models } = await startSocketApp({});
    const socket = await openRaw(url, models.token);
    socket.pause();
    socket.write(createFrame({ model, generate: false, instructions: "x".repeat(8 * megabyte) }));
    await expect.poll(() => models.bodies.all.bytes, slowly).toBeGreaterThan(23 * megabyte);
    for (let turns = 0; turns < 20; turns++) await immediate();
    expect(models.bodies.all.bytes).toBeGreaterThan(23 * megabyte);
    socket.resume();
    await expect.poll(() => models.bodies.all.bytes, slowly).toBe(0);
  });

  it("is no longer held when its connection takes nothing of its answer", async () => {
    const frontLimits = { checkMs: 20, untakenMs: 100 };
    const { url, models } = await startSocketApp({}, { frontLimits });
    const socket = await openRaw(url, models.token);
    socket.pause();
    socket.write(createFrame({ model, generate: false, instructions: "x".repeat(8 * megabyte) }));
    await expect.poll(() => models.bodies.all.bytes, slowly).toBeGreaterThan(23 * megabyte);
    await expect.poll(() => models.bodies.all.bytes, slowly).toBe(0);
  });

  it("is timed from its first byte when that came with the end of the one before", async () => {
    const { url, models } = await startSocketApp({ messageMs: 50, everyMs: 10 });
    const socket = await openRaw(url, models.token);
    const part = frame(opening.text, Buffer.alloc(1000)).subarray(0, 500);
    socket.write(Buffer.concat([createFrame({ generate: false, model }), part]));
    expect((await rest(socket)).toString()).toContain("took too long");
  });
});
