import { describe, expect, it } from "vitest";
import {
  json,
  rawBytes,
  reset,
  stall,
  stream,
  text,
  type Script,
} from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { readError } from "../call.ts";
import type { ModelAppOptions } from "../model-app.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { dialectClients, type CallerName } from "./clients.ts";
import { ask, crossPairs, goodEndings, models, streamError, textOf, type Pair } from "./pairs.ts";
import { begun, errorFrame, wordsFrame } from "./upstream-frames.ts";

const html = { "content-type": "text/html" };
const plainJson = { "content-type": "application/json" };
/** Little patience where a test waits for its end; as much as ever where a slow machine could meet it. */
const patienceFor = (what: string): ModelAppOptions =>
  what.includes("silence") ? { limits: { idleMs: 200, firstByteMs: 200 } } : {};

async function start(script: Script, options: ModelAppOptions = {}) {
  const { app, upstream } = await startAppWithUpstream(options);
  upstream.play(script);
  return { app, upstream };
}

/**
 * Failures before anything has reached the caller: the upstream's script, the status
 * and code that the caller hears, and how often the upstream is dialled.
 */
const early: readonly [string, (upstream: CallerName) => Script, number, string | null, number][] =
  [
    ["[ending.reset] a reset", () => reset, 502, "upstream_unreachable", 3],
    ["an empty answer", () => text("", 200, plainJson), 502, "upstream_unreachable", 3],
    ["broken JSON", () => text('{"a":', 200, plainJson), 502, "upstream_malformed", 1],
    [
      "an answer that is no UTF-8",
      () => text(broken('{"id":"~"}'), 200, plainJson),
      502,
      "upstream_malformed",
      1,
    ],
    [
      "an error that is nested deeper than V8 prints",
      () => text(`{"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, 200, plainJson),
      502,
      "upstream_malformed",
      1,
    ],
    ["an error in the body", () => json({ error: { message: "Full." } }), 502, null, 1],
    ["a refusal", () => json({ error: { message: "No.", code: "x" } }, 422), 422, "x", 1],
    [
      "[ending.credential] a refused credential",
      () => json({}, 401),
      403,
      "no_vendor_credential",
      1,
    ],
    ["overload", () => json({ error: { message: "Busy." } }, 529), 529, null, 1],
    ["[ending.page] a page with 502", () => text("<html>", 502, html), 502, null, 1],
    [
      "[ending.page] a page with 200",
      () => text("<html>", 200, html),
      502,
      "upstream_malformed",
      1,
    ],
    [
      "a redirect",
      () => text("", 302, { location: "http://127.0.0.1:1" }),
      502,
      "upstream_malformed",
      1,
    ],
    ["[stream.dead] silence", () => stall, 504, "upstream_timeout", 1],
    ["no HTTP", () => rawBytes("SSH-2.0-OpenSSH\r\n"), 502, "upstream_unreachable", 1],
  ];

/** The same for a stream, whose first event tells of it. */
const earlyInStreams: typeof early = [
  [
    "[ending.error-first] overload as the first event",
    (upstream) => stream([errorFrame(upstream, "overloaded_error", "Busy.")]),
    529,
    null,
    1,
  ],
  [
    "a rate limit as the first event",
    (upstream) => stream([errorFrame(upstream, "rate_limit_error", "Slower.")]),
    429,
    null,
    1,
  ],
  [
    "a refused credential as the first event",
    (upstream) => stream([errorFrame(upstream, "authentication_error", "Who?")]),
    403,
    "no_vendor_credential",
    1,
  ],
  ["a first event without JSON", () => stream(["data: {oops\n\n"]), 502, "upstream_malformed", 1],
];

describe.each(crossPairs)(
  "failures before the first event, $caller caller, $upstream upstream",
  (pair) => {
    const both = [false, true].flatMap((isStream) =>
      early.map(
        ([what, ...rest]) =>
          [`${what}, ${isStream ? "stream" : "whole"}`, isStream, ...rest] as const,
      ),
    );
    const streamed = earlyInStreams.map(([what, ...rest]) => [what, true, ...rest] as const);

    it.each([...both, ...streamed])(
      "%s",
      async (what, isStream, script, status, code, attempts) => {
        const { app, upstream } = await start(script(pair.upstream), patienceFor(what));
        const reply = await ask(app, pair, { stream: isStream });
        expect(reply.status).toBe(status);
        expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
        const said = readError(reply.body);
        expect(said.requestId).toBe(reply.headers["x-request-id"]);
        if (code !== null) expect(said.code).toBe(code);
        expect(upstream.requests).toHaveLength(attempts);
        expect(app.faults).toEqual([]);
      },
    );
  },
);

type Ending = readonly [string, (upstream: CallerName) => Script, Partial<Record<string, unknown>>];

/** Failures after words have reached the caller. */
const late: readonly Ending[] = [
  [
    "[ending.none] the end too early",
    (from) => stream(begun[from]),
    { code: "upstream_incomplete" },
  ],
  [
    "a reset",
    (from) => stream(begun[from], { ending: "reset", everyMs: 5 }),
    { code: "upstream_incomplete" },
  ],
  [
    "[ending.malformed] a frame without JSON",
    (from) =>
      stream([...begun[from], wordsFrame(from, "x").replace('"x"', '"x'), wordsFrame(from, "y")]),
    { code: "upstream_malformed" },
  ],
  [
    "bytes that are no UTF-8",
    (from) => stream([...begun[from], broken(wordsFrame(from, "x~x")), wordsFrame(from, "y")]),
    { code: "upstream_malformed" },
  ],
  [
    "[ending.error-later] an error event",
    (from) => stream([...begun[from], errorFrame(from, "api_error", "The model fell over.")]),
    { message: "The model fell over." },
  ],
  ["silence", (from) => stream(begun[from], { ending: "stall" }), { code: "upstream_timeout" }],
];

function broken(frame: string): Buffer {
  const bytes = Buffer.from(frame);
  bytes[bytes.indexOf("~")] = 0xff;
  return bytes;
}

describe.each(crossPairs)("failures after words, $caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: from } = pair;

  it.each(late)("%s", async (what, script, expected) => {
    const { app, upstream } = await start(script(from), patienceFor(what));
    const { status, text: told } = await ask(app, pair, { stream: true });
    expect(status).toBe(200);
    expect(textOf(caller, told)).toBe("Hé! ");
    expect(streamError(caller, told)).toMatchObject(expected);
    expect(told).not.toMatch(goodEndings[caller]);
    expect(upstream.requests).toHaveLength(1);
    expect(await app.record(0)).toMatchObject({ status: 200, errorCode: expect.anything() });
    expect([app.routes.callsInFlight, app.streams.value, app.faults]).toEqual([0, 0, []]);
  });

  it.each(late)("%s: the official client raises", async (what, script) => {
    const { app } = await start(script(from), patienceFor(what));
    await expect(dialectClients(app)[caller].streamed(models[from])).rejects.toBeInstanceOf(Error);
  });

  it("a whole answer that is asked for by a caller fails with a status", async () => {
    const { app } = await start(stream(begun[from]));
    const reply = await ask(app, pair);
    expect([reply.status, readError(reply.body).code]).toEqual([502, "upstream_incomplete"]);
  });

  const afterwards: readonly [
    string,
    Parameters<typeof stream>[0],
    Parameters<typeof stream>[1],
  ][] = [
    ["garbage", ["data: {oops\n\n"], {}],
    ["a reset", [], { ending: "reset", everyMs: 5 }],
    ["silence", [], { ending: "stall" }],
    ["half a frame", ["data: {"], {}],
  ];

  it.each(afterwards)("%s behind the last event is nothing", async (what, more, options) => {
    const frames = [...responseFixtures[from].frames, ...more];
    const { app } = await start(stream(frames, options), patienceFor(what));
    const { text: told } = await ask(app, pair, { stream: true });
    expect(told).toMatch(goodEndings[caller]);
    expect(streamError(caller, told)).toBeUndefined();
    expect(await app.record(0)).toMatchObject({ status: 200, errorCode: undefined });
  });

  it("garbage in one read with the last event is nothing", async () => {
    const { app } = await start(
      stream([`${responseFixtures[from].frames.join("")}data: {oops\n\n`]),
    );
    const reply = await ask(app, pair, { stream: true });
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(goodEndings[caller]);
    expect(streamError(caller, reply.text)).toBeUndefined();
  });
});

describe.each(["messages", "responses"] as const)("a sloppy chat upstream, %s caller", (caller) => {
  const pair: Pair = { caller, upstream: "chat" };
  const { frames } = responseFixtures.chat;

  it("[ending.no-done] without usage and [DONE] the stream ends well, without a wait", async () => {
    // Longer than the test may take.
    const patient = { limits: { idleMs: 60_000, firstByteMs: 60_000 } };
    const { app } = await start(stream(frames.slice(0, -2), { ending: "end" }), patient);
    const { text: told } = await ask(app, pair, { stream: true });
    expect(told).toMatch(goodEndings[caller]);
    expect(streamError(caller, told)).toBeUndefined();
  });

  it("[ending.no-done] without [DONE], usage included", async () => {
    const { app } = await start(stream(frames.slice(0, -1)));
    const answer = await dialectClients(app)[caller].streamed(models.chat);
    expect(answer).toMatchObject({ text: "Hé! 🙂", input: 12, cached: 4, output: 7 });
  });
});
