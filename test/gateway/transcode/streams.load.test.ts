import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { json, late, stall, stream, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { dialectClients, type CallerName } from "./clients.ts";
import {
  ask,
  crossPairs,
  goodEndings,
  models,
  paths,
  questions,
  streamError,
  textOf,
  type Pair,
} from "./pairs.ts";
import { begun, errorFrame, wordsFrame } from "./upstream-frames.ts";

/** A call over a connection of which the test decides when it reads and when it goes. */
function open(app: ModelApp, { caller, upstream }: Pair, isStream = true): Socket {
  const body = JSON.stringify({ model: models[upstream], ...questions[caller], stream: isStream });
  const socket = connect(app.port, "127.0.0.1").on("error", () => {});
  socket.write(
    `POST ${paths[caller]} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
      `connection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

const keepAlives: Record<CallerName, RegExp> = {
  chat: /^: keep-alive\n\n/gm,
  responses: /^: keep-alive\n\n/gm,
  messages: /^event: ping\ndata: .*\n\n/gm,
};

describe.each(crossPairs)("$caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: from } = pair;
  const { frames } = responseFixtures[from];

  it("[stream.keep-alive] a silent stream is kept alive in the caller's dialect", async () => {
    const { app, upstream } = await startAppWithUpstream({ callLimits: { keepAliveMs: 20 } });
    upstream.play(
      stream([begun[from].join(""), frames.slice(begun[from].length).join("")], { everyMs: 100 }),
    );
    const reply = await ask(app, pair, { stream: true });
    expect(reply.text.match(keepAlives[caller])?.length).toBeGreaterThan(1);
    expect(textOf(caller, reply.text)).toBe("Hé! 🙂");
    upstream.play(stream(frames, { everyMs: 25 }));
    const answer = await dialectClients(app)[caller].streamed(models[from]);
    expect(answer.calls).toEqual([{ name: "weather", input: { city: "Zürich" } }]);
  });

  it("[stream.dead] keep-alives do not hide an upstream that is dead", async () => {
    const { app, upstream } = await startAppWithUpstream({
      callLimits: { keepAliveMs: 20 },
      limits: { idleMs: 150 },
    });
    upstream.play(stream(begun[from], { ending: "stall" }));
    const reply = await ask(app, pair, { stream: true });
    expect(reply.text.match(keepAlives[caller])?.length).toBeGreaterThan(1);
    expect(streamError(caller, reply.text)).toMatchObject({ code: "upstream_timeout" });
    await (
      await upstream.request(0)
    ).closed;
  });

  it("begins although the upstream says nothing, and tells a failure as an event then", async () => {
    const { app, upstream } = await startAppWithUpstream({
      callLimits: { commitMs: 20, keepAliveMs: 20 },
    });
    upstream.play(late(100, stream(frames)));
    const whole = await ask(app, pair, { stream: true });
    expect(whole.text.match(keepAlives[caller])?.length).toBeGreaterThan(0);
    expect(textOf(caller, whole.text)).toBe("Hé! 🙂");
    upstream.play(late(100, json({ error: { message: "Busy." } }, 529)));
    const failed = await ask(app, pair, { stream: true });
    expect(failed.status).toBe(200);
    expect(streamError(caller, failed.text)?.message).toBe("Busy.");
  });

  it("[thought.early-failure] a failure before the first words commits nothing", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const head = frames.slice(0, from === "responses" ? 2 : 1);
    upstream.play(stream([...head, errorFrame(from, "overloaded_error", "Busy.")]));
    const reply = await ask(app, pair, { stream: true });
    const isStatus = reply.status === 529;
    expect(isStatus || streamError(caller, reply.text) !== undefined).toBe(true);
    expect(textOf(caller, isStatus ? "" : reply.text)).toBe("");
  });

  it("gives the words as they come", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream([begun[from].join("")], { ending: "stall" }));
    const socket = open(app, pair);
    let text = "";
    while (!text.includes("Hé!")) text += String((await once(socket, "data"))[0]);
    expect(text).not.toMatch(goodEndings[caller]);
    socket.destroy();
  });

  it.each([{}, { "content-type": "text/plain" }, { "content-type": "application/json" }])(
    "[stream.content-type] reads a stream whatever the upstream declares with the headers %j",
    async (headers) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(stream(frames, { headers }));
      const reply = await ask(app, pair, { stream: true });
      expect(reply.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      expect(textOf(caller, reply.text)).toBe("Hé! 🙂");
    },
  );

  const moments: readonly [string, boolean, Script, boolean][] = [
    ["before the head of an answer", false, stall, false],
    ["before the head of a stream", true, stall, false],
    ["in a whole answer", false, stream(begun[from], { ending: "stall" }), false],
    ["in a stream", true, stream(begun[from], { ending: "stall" }), true],
  ];

  it.each(moments)(
    "[stream.left] a caller that goes %s cancels the upstream at once",
    async (_what, isStream, script, hasBegun) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(script);
      const socket = open(app, pair, isStream);
      const { closed } = await upstream.request(0);
      if (hasBegun) await once(socket, "data");
      else await delay(30);
      socket.destroy();
      // The upstream never ends by itself.
      await closed;
      expect(await app.record(0)).toMatchObject({ status: 499, isAborted: true, isStream });
      expect([app.routes.callsInFlight, app.streams.value, app.faults]).toEqual([0, 0, []]);
    },
  );
});

/** Each dialect once as the caller's and once as the upstream's: these tests move many bytes. */
const roundPairs: readonly Pair[] = [
  { caller: "chat", upstream: "messages" },
  { caller: "messages", upstream: "responses" },
  { caller: "responses", upstream: "chat" },
];

describe.each(roundPairs)("many bytes, $caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: from } = pair;
  const { frames } = responseFixtures[from];

  it("[stream.long-line] a line of 2 MB comes through", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const long = "y".repeat(2 * 1024 * 1024);
    upstream.play(stream([...begun[from], wordsFrame(from, long)]));
    const passed = await ask(app, pair, { stream: true });
    expect(textOf(caller, passed.text)).toBe(`Hé! ${long}`);
  });

  it("[stream.long-line] a line of 17 MiB is too large", { timeout: 60_000 }, async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream([...begun[from], wordsFrame(from, "y".repeat(17 * 1024 * 1024))]));
    const { text } = await ask(app, pair, { stream: true });
    expect(textOf(caller, text)).toBe("Hé! ");
    expect(streamError(caller, text)).toMatchObject({ code: "upstream_malformed" });
  });

  it(
    "[stream.slow-reader] a slow reader holds the upstream back, and loses nothing",
    { timeout: 60_000 },
    async () => {
      const { app, upstream } = await startAppWithUpstream();
      const total = 2000;
      const frame = wordsFrame(from, "z".repeat(16_000));
      let written = 0;
      upstream.play((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(begun[from].join(""));
        const push = (): void => {
          while (written < total && !response.destroyed) {
            written += 1;
            if (!response.write(frame)) return void response.once("drain", push);
          }
          response.end(frames.slice(begun[from].length).join(""));
        };
        push();
      });
      const socket = open(app, pair).pause();
      await upstream.request(0);
      for (let before = -1; written !== before; await delay(150)) before = written;
      expect(written).toBeLessThan(total / 2);
      let bytes = 0;
      socket.on("data", (chunk: Buffer) => void (bytes += chunk.length));
      socket.resume();
      await once(socket, "end");
      expect(bytes).toBeGreaterThan(total * 16_000);
      expect(await app.record(0)).toMatchObject({ isAborted: false, errorCode: undefined });
    },
  );
});

describe("[stream.apart] concurrent streams", () => {
  it("share no state, whatever their pairs", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const of = { chat: paths.chat, messages: paths.messages, responses: paths.responses };
    upstream.play((response, request) => {
      const from = (Object.keys(of) as CallerName[]).find((name) => of[name] === request.path);
      const body = JSON.parse(request.body.toString()) as object;
      const words = /word-\d+/.exec(JSON.stringify(body))?.[0] ?? "";
      const fixture = responseFixtures[from ?? "chat"].frames.join("").replaceAll("🙂", words);
      return stream(fixture.match(/[^]{1,40}/g) ?? [], { everyMs: 1 })(response, request);
    });
    const asked = Array.from({ length: 30 }, async (_none, at) => {
      const pair = crossPairs[at % crossPairs.length] ?? { caller: "chat", upstream: "messages" };
      const question = JSON.parse(
        JSON.stringify(questions[pair.caller]).replace("hello", `word-${at}`),
      ) as object;
      const reply = await ask(app, pair, { ...question, stream: true });
      return textOf(pair.caller, reply.text);
    });
    expect(await Promise.all(asked)).toEqual(asked.map((_none, at) => `Hé! word-${at}`));
    expect(app.faults).toEqual([]);
  });
});
