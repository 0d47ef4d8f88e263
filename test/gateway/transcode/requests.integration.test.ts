import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, stream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, readError } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { histories } from "./histories.ts";
import {
  ask,
  crossPairs,
  models,
  paths,
  questions,
  streamError,
  textOf,
  type Body,
  type Pair,
} from "./pairs.ts";

async function start({ upstream: from }: Pair) {
  const { app, upstream } = await startAppWithUpstream();
  upstream.play(json(responseFixtures[from].whole));
  return { app, upstream };
}

async function sent(upstream: FakeUpstream, index: number): Promise<Body> {
  return JSON.parse((await upstream.request(index)).body.toString()) as Body;
}

describe.each(crossPairs)("requests, $caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: from } = pair;
  const history = { ...histories[caller] };

  it.each([false, true])(
    "[request.stable] two identical requests give identical bytes (stream %s)",
    async (isStream) => {
      const { app, upstream } = await start(pair);
      upstream.play(
        isStream ? stream(responseFixtures[from].frames) : json(responseFixtures[from].whole),
      );
      const body = { model: models[from], ...history, stream: isStream };
      await call(app, paths[caller], body);
      await call(app, paths[caller], body);
      const [first, second] = await Promise.all([upstream.request(0), upstream.request(1)]);
      expect(second.body.equals(first.body)).toBe(true);
      expect(second.rawHeaders).toEqual(first.rawHeaders);
    },
  );

  it("[clients.query] reach the upstream without the query of the caller's address", async () => {
    const { app, upstream } = await start(pair);
    const body = { model: models[from], ...questions[caller] };
    expect((await call(app, `${paths[caller]}?beta=true`, body)).status).toBe(200);
    expect((await upstream.request(0)).path).toBe(paths[from]);
  });

  it("[request.images] an image and both results reach the upstream, in order", async () => {
    const { app, upstream } = await start(pair);
    const reply = await call(app, paths[caller], { model: models[from], ...history });
    expect(reply.status).toBe(200);
    const text = JSON.stringify(await sent(upstream, 0));
    expect(text).toContain("iVBORw0KGgo=");
    const words = ["Be brief.", "What is it", "Paris", "Oslo", "sun", "snow"];
    const places = words.map((word) => text.indexOf(word, text.indexOf("iVBO") - 200));
    if (from !== "messages") expect(text.indexOf("sun")).toBeGreaterThan(text.lastIndexOf("Oslo"));
    expect(places.slice(1).every((place) => place !== -1)).toBe(true);
    expect(text.indexOf("snow")).toBeGreaterThan(text.indexOf('"sun"'));
  });

  it("[transcoded.loss] tells what was lost in x-svc-warnings, and nothing where nothing was", async () => {
    const { app } = await start(pair);
    const lossy = await call(app, paths[caller], { model: models[from], ...history });
    const lost = { chat: "seed", messages: "top_k", responses: "truncation" }[caller];
    expect(lossy.headers["x-svc-warnings"]).toMatch(new RegExp(`"${lost}";action=dropped;reason=`));
    const plain = await ask(app, pair);
    expect(plain.headers["x-svc-warnings"]).toBeUndefined();
  });

  it("[transcoded.loss] tells it in the head of a stream, too", async () => {
    const { app, upstream } = await start(pair);
    upstream.play(stream(responseFixtures[from].frames));
    const reply = await call(app, paths[caller], { model: models[from], ...history, stream: true });
    expect(reply.headers["x-svc-warnings"]).toMatch(/action=dropped/);
  });

  it("[transcoded.strict] refuses the loss with x-svc-strict, and calls nobody", async () => {
    const { app, upstream } = await start(pair);
    const body = { model: models[from], ...history };
    const { status, body: said } = await call(app, paths[caller], body, { "x-svc-strict": "true" });
    expect(status).toBe(400);
    const lost = { chat: "seed", messages: "top_k", responses: "truncation" }[caller];
    expect(readError(said)).toMatchObject({ code: "invalid_request", param: lost });
    expect(upstream.requests).toHaveLength(0);
    const plain = await ask(app, pair, {}, { "x-svc-strict": "true" });
    expect(plain.status).toBe(200);
  });

  it("[request.unknown-fields] [client-fields.unknown] a field that nobody knows is left out and told; beta headers stay here", async () => {
    const { app, upstream } = await start(pair);
    const headers = { "anthropic-beta": "b-1", "openai-beta": "o-1" };
    const reply = await ask(app, pair, { shiny_new: { a: 1 } }, headers);
    expect(reply.headers["x-svc-warnings"]).toMatch(/"shiny_new";action=dropped;reason=unknown/);
    const request = await upstream.request(0);
    expect(request.body.toString()).not.toContain("shiny_new");
    expect(request.headers).not.toHaveProperty("anthropic-beta");
    expect(request.headers).not.toHaveProperty("openai-beta");
  });

  it("sends the upstream's own credential and no header of the caller's", async () => {
    const { app, upstream } = await start(pair);
    await ask(app, pair, {}, { cookie: "secret=1", "x-stainless-lang": "js", "user-agent": "me" });
    const { headers, rawHeaders } = await upstream.request(0);
    expect(JSON.stringify(rawHeaders)).not.toContain(app.token);
    expect(headers).not.toHaveProperty("cookie");
    expect(headers["content-type"]).toBe("application/json");
    if (from === "messages") expect(headers["anthropic-version"]).toBe("2023-06-01");
  });

  it("[transcoded.loss] refuses what cannot be asked with its path, and calls nobody", async () => {
    const { app, upstream } = await start(pair);
    const wrong = caller === "responses" ? { input: 7 } : { messages: 7 };
    const { status, body } = await ask(app, pair, wrong);
    expect([status, readError(body).param]).toEqual([400, Object.keys(wrong)[0]]);
    expect(upstream.requests).toHaveLength(0);
  });
});

describe("[sum.option-refused] what a first refusal teaches", () => {
  const noUsage = json({ error: { message: "Unknown field: stream_options" } }, 400);
  const noOldCap = json(
    { error: { message: "'max_tokens' is not supported; use 'max_completion_tokens'." } },
    400,
  );

  it.each(["messages", "responses"] as const)(
    "[retry.own-option] no stream_options, %s caller",
    async (caller) => {
      const pair: Pair = { caller, upstream: "chat" };
      const { app, upstream } = await start(pair);
      upstream.play(stream(responseFixtures.chat.frames));
      upstream.playOnce(noUsage);
      expect((await ask(app, pair, { stream: true })).status).toBe(200);
      expect(await sent(upstream, 0)).toMatchObject({ stream_options: { include_usage: true } });
      expect(await sent(upstream, 1)).not.toHaveProperty("stream_options");
      await ask(app, pair, { stream: true });
      expect(await sent(upstream, 2)).not.toHaveProperty("stream_options");
      expect(upstream.requests).toHaveLength(3);
    },
  );

  it("[answer.lessons-end] is held for an hour, also where more is learned in it", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const pair: Pair = { caller: "messages", upstream: "chat" };
    const { app, upstream } = await start(pair);
    upstream.play(stream(responseFixtures.chat.frames));
    upstream.playOnce(noUsage);
    await ask(app, pair, { stream: true });
    vi.advanceTimersByTime(40 * 60_000);
    upstream.playOnce(noOldCap);
    await ask(app, pair, { stream: true });
    vi.advanceTimersByTime(19 * 60_000);
    await ask(app, pair, { stream: true });
    const held = await sent(upstream, 4);
    expect(held).not.toHaveProperty("stream_options");
    expect(held).toHaveProperty("max_completion_tokens", 100);
    vi.advanceTimersByTime(60_000);
    await ask(app, pair, { stream: true });
    expect(await sent(upstream, 5)).toMatchObject({ stream_options: { include_usage: true } });
    expect(upstream.requests).toHaveLength(6);
  });

  it("the newer name of the cap, and both at once", async () => {
    const pair: Pair = { caller: "messages", upstream: "chat" };
    const { app, upstream } = await start(pair);
    upstream.play(stream(responseFixtures.chat.frames));
    upstream.playOnce(noOldCap, noUsage);
    expect((await ask(app, pair, { stream: true })).status).toBe(200);
    expect(await sent(upstream, 0)).toHaveProperty("max_tokens", 100);
    const last = await sent(upstream, 2);
    expect(last).toMatchObject({ max_completion_tokens: 100, stream: true });
    expect(last).not.toHaveProperty("max_tokens");
    expect(last).not.toHaveProperty("stream_options");
    await ask(app, pair);
    expect(await sent(upstream, 3)).toHaveProperty("max_completion_tokens", 100);
  });

  it("once, from a refusal longer than what is read of it", async () => {
    const pair: Pair = { caller: "messages", upstream: "chat" };
    const { app, upstream } = await start(pair);
    const message = `Unknown field: stream_options ${".".repeat(1024 * 1024)}`;
    upstream.play(stream(responseFixtures.chat.frames));
    upstream.playOnce(json({ error: { message } }, 400));
    expect((await ask(app, pair, { stream: true })).status).toBe(200);
    expect(upstream.requests).toHaveLength(2);
  });

  it("nothing of a refusal that is the caller's own", async () => {
    const pair: Pair = { caller: "messages", upstream: "chat" };
    const { app, upstream } = await start(pair);
    upstream.play(json({ error: { message: "messages[0]: too long" } }, 400));
    const reply = await ask(app, pair, { stream: true });
    expect([reply.status, readError(reply.body).message]).toEqual([400, "messages[0]: too long"]);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("[sum.stream-options] usage of streams", () => {
  it.each(["messages", "responses"] as const)(
    "is asked of a chat upstream, %s caller",
    async (caller) => {
      const pair: Pair = { caller, upstream: "chat" };
      const { app, upstream } = await start(pair);
      upstream.play(stream(responseFixtures.chat.frames));
      await ask(app, pair, { stream: true });
      expect(await sent(upstream, 0)).toMatchObject({ stream_options: { include_usage: true } });
    },
  );

  it.each(["messages", "responses"] as const)(
    "is not told to a chat caller that did not ask, %s upstream",
    async (from) => {
      const pair: Pair = { caller: "chat", upstream: from };
      const { app, upstream } = await start(pair);
      upstream.play(stream(responseFixtures[from].frames));
      const unasked = await ask(app, pair, { stream: true });
      expect(unasked.text).not.toContain('"usage"');
      const asked = await ask(app, pair, { stream: true, stream_options: { include_usage: true } });
      expect(asked.text).toMatch(/"choices":\[\],"usage":\{[^\n]*\n\ndata: \[DONE\]\n\n$/);
    },
  );
});

describe.each(["chat", "responses"] as const)("[ending.pause] pause_turn, %s caller", (caller) => {
  const pair: Pair = { caller, upstream: "messages" };
  const { whole } = responseFixtures.messages;
  const said = (text: string, stop_reason: string) => ({
    ...whole,
    content: [{ type: "text", text }],
    stop_reason,
    usage: { input_tokens: 10, output_tokens: 3 },
  });
  const frames = (text: string, stop_reason: string) =>
    [
      {
        type: "message_start",
        message: { ...said("", stop_reason), content: [], stop_reason: null },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 3 },
      },
      { type: "message_stop" },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

  it.each([false, true])(
    "twice is one answer with the usage summed (stream %s)",
    async (isStream) => {
      const { app, upstream } = await start(pair);
      const play = (text: string, reason: string) =>
        isStream ? stream(frames(text, reason)) : json(said(text, reason));
      upstream.playOnce(
        play("One, ", "pause_turn"),
        play("two, ", "pause_turn"),
        play("three.", "end_turn"),
      );
      const reply = await ask(app, pair, {
        stream: isStream,
        ...(caller === "chat" && isStream && { stream_options: { include_usage: true } }),
      });
      const words = isStream
        ? [/One, /, /two, /, /three\./]
        : [/One, two, three\.|One, .*two, .*three\./];
      for (const word of words) expect(reply.text).toMatch(word);
      expect(reply.text).toMatch(/"(?:completion|output)_tokens":9\b/);
      expect(reply.text).toMatch(/"(?:prompt|input)_tokens":30\b/);
      const third = (await sent(upstream, 2)) as { messages: { role: string; content: unknown }[] };
      const texts = ["One, ", "two, "].map((text) => ({ type: "text", text }));
      expect(third.messages.slice(1)).toEqual([{ role: "assistant", content: texts }]);
      expect(await app.record(0)).toMatchObject({ status: 200 });
    },
  );

  it("fails as the stream that it began when it cannot go on", async () => {
    const { app, upstream } = await start(pair);
    upstream.playOnce(
      stream(frames("One, ", "pause_turn")),
      json({ error: { message: "Busy." } }, 529),
    );
    const { text } = await ask(app, pair, { stream: true });
    expect(textOf(caller, text)).toBe("One, ");
    expect(streamError(caller, text)?.message).toBe("Busy.");
    if (caller === "chat") return;
    const events = parseEventStreamText(text).map(({ data }) => JSON.parse(data) as Body);
    expect(events.map((event) => event["sequence_number"])).toEqual([...events.keys()]);
    expect(events.at(-2)).toMatchObject({ type: "response.failed" });
  });

  it("without an end is cut after five continuations", async () => {
    const { app, upstream } = await start(pair);
    upstream.play(json(said("More. ", "pause_turn")));
    const reply = await ask(app, pair);
    expect(upstream.requests).toHaveLength(6);
    expect(reply.text).toMatch(
      caller === "chat" ? /"finish_reason":"length"/ : /"status":"incomplete"/,
    );
  });
});
