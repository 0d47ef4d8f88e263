import { describe, expect, it } from "vitest";
import { newResourceId } from "../../../src/platform/ids.ts";
import { stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";

const chunk = (delta: object, finish: string | null) => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
};

const frames = [
  chunk({ role: "assistant", content: "" }, null),
  ...Array.from({ length: 10 }, (_none, at) => chunk({ content: `w${at} ` }, null)),
  chunk({}, "stop"),
  "data: [DONE]\n\n",
];

describe("a chat stream on own credentials that asks for no usage", () => {
  it("[stream.unasked-usage] passes unchanged both ways, and is counted here", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream(frames));
    const body = '{ "model" : "custom/acme/m", "stream": true,\n "messages": [] }';
    const reply = await call(app, "/v1/chat/completions", body);
    expect(reply.text).toBe(frames.join(""));
    expect((await upstream.request(0)).body.toString()).toBe(body.replace("custom/acme/m", "m"));
    await expect.poll(() => app.notes.length).toBe(1);
    expect(app.notes[0]).toMatchObject({ isEstimated: true });
    expect(app.notes[0]?.outputTokens).toBeGreaterThanOrEqual(10);
    expect(app.notes[0]?.inputTokens).toBeGreaterThan(0);
  });

  it("is noted at the time that the clock tells", async () => {
    const now = Date.parse("2026-01-02T03:04:05Z");
    const { app, upstream } = await startAppWithUpstream({ clock: { now: () => now } });
    upstream.play(stream(frames));
    await call(app, "/v1/chat/completions", { model: "custom/acme/m", stream: true, messages: [] });
    await expect.poll(() => app.notes.length).toBe(1);
    const { id = "", endedAt = 0 } = app.notes[0] ?? {};
    expect(id.slice(0, 15)).toBe(newResourceId("call", now).slice(0, 15));
    expect(endedAt).toBe(now);
  });
});
