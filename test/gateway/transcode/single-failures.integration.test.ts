import { describe, expect, it } from "vitest";
import { closedPort } from "../../support/closed-port.ts";
import { json, rawBytes, stream, text, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { addUpstreams, catalogue, readError } from "../call.ts";
import { startModelApp } from "../model-app.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { allPairs, ask, crossPairs, streamError, textOf } from "./pairs.ts";
import { begun, errorFrame, wordsFrame } from "./upstream-frames.ts";

/** Failures that each need a test of their own; those of one form are in `failures.test.ts`. */
describe.each(crossPairs)("$caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: from } = pair;

  it.each([false, true])("nothing listens (stream %s)", async (isStream) => {
    const app = await startModelApp({ catalogue });
    addUpstreams(app, `http://127.0.0.1:${await closedPort()}`);
    const reply = await ask(app, pair, { stream: isStream });
    expect([reply.status, readError(reply.body).code]).toEqual([502, "upstream_unreachable"]);
    expect(await app.record(0)).toMatchObject({ attempts: 3, errorCode: "upstream_unreachable" });
  });

  it.each([false, true])("a retry that helps is all (stream %s)", async (isStream) => {
    const { app, upstream } = await startAppWithUpstream();
    const { whole, frames } = responseFixtures[from];
    upstream.playOnce(rawBytes(""));
    upstream.play(isStream ? stream(frames) : json(whole));
    const reply = await ask(app, pair, { stream: isStream });
    expect(reply.status).toBe(200);
    expect(upstream.requests).toHaveLength(2);
  });

  it.each([false, true])(
    "retry-after is passed on when well formed, never invented (stream %s)",
    async (isStream) => {
      const { app, upstream } = await startAppWithUpstream();
      const after = async (headers: Record<string, string>) => {
        upstream.play(text('{"error":{"message":"Slower."}}', 429, headers));
        const reply = await ask(app, pair, { stream: isStream });
        expect([reply.status, readError(reply.body).message]).toEqual([429, "Slower."]);
        return reply.headers["retry-after"];
      };
      expect(await after({ "retry-after": "7" })).toBe("7");
      expect(await after({ "retry-after": "soon" })).toBeUndefined();
      expect(await after({})).toBeUndefined();
    },
  );

  const unknownForms: readonly [string, Script][] = [
    ["text", text("hello", 200, { "content-type": "text/plain" })],
    ["XML", text("<a/>", 200, { "content-type": "application/xml" })],
    ["bytes", text("\u0000\u0001", 200, { "content-type": "application/octet-stream" })],
  ];

  it.each(unknownForms)("an answer of %s is malformed, and not shown", async (_what, form) => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(form);
    for (const isStream of [false, true]) {
      const reply = await ask(app, pair, { stream: isStream });
      expect([reply.status, readError(reply.body).code]).toEqual([502, "upstream_malformed"]);
      expect(reply.text).not.toMatch(/hello|<a/);
    }
  });

  it("one JSON body where a stream was asked is told as a stream", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json(responseFixtures[from].whole));
    const reply = await ask(app, pair, { stream: true });
    expect(reply.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(textOf(caller, reply.text)).toBe("Hé! 🙂");
    expect(streamError(caller, reply.text)).toBeUndefined();
  });

  it("[ending.closes] after an error in the stream both sides end within a second", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const frames = [...begun[from], errorFrame(from, "api_error", "It fell over.")];
    upstream.play(stream(frames, { ending: "stall" }));
    const startedAt = performance.now();
    const reply = await ask(app, pair, { stream: true });
    const closedAt = await (await upstream.request(0)).closed;
    expect(streamError(caller, reply.text)).toMatchObject({ message: "It fell over." });
    expect(Math.max(performance.now(), closedAt) - startedAt).toBeLessThan(1000);
  });
});

describe.each(allPairs)(
  "$caller caller, $upstream upstream, gone",
  ({ caller, upstream: from }) => {
    it("[stream.left] is charged what came, once, whatever the upstream has told until then", async () => {
      const { app, upstream } = await startAppWithUpstream();
      const words = Array.from({ length: 20 }, (_none, at) => wordsFrame(from, `<${at}>`));
      upstream.play(stream([[...begun[from], ...words].join("")], { ending: "stall" }));
      const going = new AbortController();
      const path = { chat: "chat/completions", messages: "messages", responses: "responses" }[
        caller
      ];
      const answer = await fetch(`${app.origin}/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
        body: JSON.stringify(body(caller, from)),
        signal: going.signal,
      });
      let told = "";
      for await (const piece of answer.body ?? []) {
        told += Buffer.from(piece).toString();
        if (told.includes("<19>")) break;
      }
      going.abort();
      expect(await app.record(0)).toMatchObject({ status: 499, isAborted: true });
      await expect.poll(() => app.notes.length).toBe(1);
      expect(app.notes[0]).toMatchObject({ isEstimated: true });
      expect(app.notes[0]?.inputTokens).toBeGreaterThan(0);
      expect(app.notes[0]?.outputTokens).toBeGreaterThan(19);
      expect(app.notes[0]?.outputTokens).toBeLessThan(30);
    });
  },
);

function body(caller: keyof typeof responseFixtures, from: keyof typeof responseFixtures) {
  const model = { chat: "custom/acme/up", messages: "custom/mess/up", responses: "code/up" }[from];
  const messages = [{ role: "user", content: "hello" }];
  const asked = {
    chat: { messages },
    messages: { messages, max_tokens: 100 },
    responses: { input: "hello" },
  };
  return { model, stream: true, ...asked[caller] };
}
