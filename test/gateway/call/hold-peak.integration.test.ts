import { describe, expect, it } from "vitest";
import { json, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { streamFrames } from "../stream-frames.ts";
import { createFrame, openRaw } from "../websocket/raw-socket.ts";
import { startSocketApp } from "../websocket/socket-app.ts";

/** An account may hold a quarter, 1 MiB. */
const few = { limits: { heldBodiesMib: 4 } };

const megabyte = 1024 * 1024;

const chatAnswer = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi." } }],
};

/** Begins a stream, then sends so many bytes of an event that never ends. */
function unfinished(bytes: number): Script {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of streamFrames.chat.slice(0, 1)) response.write(frame);
    response.write(`data: {"x":"${"x".repeat(bytes)}`);
  };
}

describe("an upstream's event that does not end", () => {
  it("counts among the bytes that the account holds", async () => {
    const { app, upstream } = await startAppWithUpstream(few);
    upstream.play(unfinished(megabyte / 2));
    const leaving = new AbortController();
    const asked = fetch(`${app.origin}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "custom/acme/m", input: "Hello?", stream: true }),
      signal: leaving.signal,
    }).then((response) => response.text());
    await expect.poll(() => app.bodies.all.bytes).toBeGreaterThan(megabyte / 3);
    leaving.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    await expect.poll(() => app.bodies.all.bytes).toBe(0);
  });

  it("ends its call with an error when the account may not hold more", async () => {
    const { app, upstream } = await startAppWithUpstream(few);
    upstream.play(unfinished(2 * megabyte));
    const body = { model: "custom/acme/m", input: "Hello?", stream: true };
    const { text } = await call(app, "/v1/responses", body);
    expect(text).toContain("rate_limited");
    await (
      await upstream.request(0)
    ).closed;
    await expect.poll(() => app.bodies.all.bytes).toBe(0);
  });

  it("ends its call over WebSocket with an error when the account may not hold more", async () => {
    const { url, upstream, models } = await startSocketApp({}, few);
    upstream.play((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(streamFrames.responses[0]);
      response.write(`data: {"x":"${"x".repeat(2 * megabyte)}`);
    });
    const socket = await openRaw(url, models.token);
    socket.write(createFrame({ model: "code/code-large", input: "Hello?" }));
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await expect.poll(() => text).toContain("rate_limited");
    await (
      await upstream.request(0)
    ).closed;
    await expect.poll(() => models.bodies.all.bytes).toBe(0);
  });
});

describe("an upstream's whole answer that is translated", () => {
  const ask = async (values: readonly unknown[]) => {
    const { app, upstream } = await startAppWithUpstream(few);
    upstream.play(json({ ...chatAnswer, values }));
    return call(app, "/v1/responses", { model: "custom/acme/m", input: "Hello?" });
  };

  it("counts the memory of its values among the bytes that the account holds", async () => {
    const { status, text } = await ask(Array.from({ length: 20_000 }, () => ({})));
    expect([status, text]).toEqual([429, expect.stringContaining("rate_limited")]);
  });

  it("is 502 when it has more than 400,000 values", async () => {
    const { status, text } = await ask(Array.from({ length: 400_001 }, () => 1));
    expect([status, text]).toEqual([502, expect.stringContaining("more values")]);
  });

  it("is passed on when it has few", async () => {
    expect((await ask([])).status).toBe(200);
  });
});
