import { describe, expect, it } from "vitest";
import { closedPort } from "../../support/closed-port.ts";
import {
  gzipped,
  json,
  late,
  rawBytes,
  reset,
  stall,
  stream,
  text,
  type Script,
} from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import {
  addUpstreams,
  call,
  catalogue,
  modelFor,
  modelRoutes,
  readError,
  routes,
} from "../call.ts";
import { startModelApp } from "../model-app.ts";
import { streamFrames } from "../stream-frames.ts";

/** What undici says when a body ends too early. */
const cutOff = /terminated|closed|aborted|mismatch/;

const html = { "content-type": "text/html" };
const plainJson = { "content-type": "application/json" };

/** What is wrong, how often it is dialled, and what the caller sees whether it streams or not. */
const faults: readonly [string, Script, number, number, string][] = [
  ["a reset before an answer", reset, 3, 502, "upstream_unreachable"],
  ["an empty answer", text("", 200, plainJson), 3, 502, "upstream_unreachable"],
  ["a closed connection", rawBytes(""), 3, 502, "upstream_unreachable"],
  [
    "a head and a reset",
    rawBytes("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", "reset"),
    3,
    502,
    "upstream_unreachable",
  ],
  ["a redirect", text("", 302, { location: "http://127.0.0.1:1/" }), 1, 502, "upstream_malformed"],
  ["no content", text("", 204), 1, 502, "upstream_malformed"],
  ["a reset of content", text("", 205, plainJson), 1, 502, "upstream_malformed"],
  ["a part of an answer", text("{}", 206, plainJson), 1, 502, "upstream_malformed"],
  ["a status that HTTP does not have", text("{}", 799), 1, 502, "upstream_malformed"],
  ["[ending.page] a page instead of JSON", text("<html>", 200, html), 1, 502, "upstream_malformed"],
  ["compression", gzipped({ a: 1 }), 1, 502, "upstream_malformed"],
  ["no HTTP", rawBytes("SSH-2.0-OpenSSH\r\n"), 1, 502, "upstream_unreachable"],
  ["silence", stall, 1, 504, "upstream_timeout"],
];

describe.each(routes)("faults before the first byte of $name", (route) => {
  it.each(faults)("are told after %s", async (_, script, attempts, status, code) => {
    // Short where it is what the test waits for; else retries on a busy machine would run into it.
    const firstByteMs = script === stall ? 250 : 10_000;
    const { app, upstream } = await startAppWithUpstream({ limits: { firstByteMs } });
    upstream.play(script);
    for (const isStream of [false, true]) {
      const count = upstream.requests.length;
      const reply = await call(app, route.path, { model: modelFor(route), stream: isStream });
      expect([isStream, reply.status, readError(reply.body).code]).toEqual([
        isStream,
        status,
        code,
      ]);
      expect(upstream.requests.length - count).toBe(attempts);
      expect(reply.headers["x-svc-route-used"]).toBe("byo");
    }
  });

  it("[retry.twice] is nothing to the caller when a retry helps", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.playOnce(reset, text("", 200, plainJson), json({ a: 1 }));
    const reply = await call(app, route.path, { model: modelFor(route) });
    expect([reply.status, reply.text]).toEqual([200, '{"a":1}']);
    const bodies = upstream.requests.map(({ body }) => body.toString());
    expect(bodies).toEqual(Array.from({ length: 3 }, () => '{"model":"m"}'));
    expect(await app.record(0)).toMatchObject({ attempts: 3, status: 200 });
  });

  it("[ending.retried] is nothing to a stream when a retry helps", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.playOnce(reset, stream(streamFrames[route.name]));
    const reply = await call(app, route.path, { model: modelFor(route), stream: true });
    expect(reply.text).toBe(streamFrames[route.name].join(""));
  });

  it("[upstream-error.unreachable] [code.upstream] is told when nothing listens", async () => {
    const app = await startModelApp({ catalogue });
    addUpstreams(app, `http://127.0.0.1:${await closedPort()}`);
    const reply = await call(app, route.path, { model: modelFor(route) });
    expect([reply.status, readError(reply.body).code]).toEqual([502, "upstream_unreachable"]);
    expect(await app.record(0)).toMatchObject({ attempts: 3 });
  });

  it("is told of a name that is too long to be resolved", async () => {
    const app = await startModelApp({ catalogue });
    addUpstreams(app, `http://${"a".repeat(60)}.`.padEnd(310, "a.") + "example");
    const reply = await call(app, route.path, { model: modelFor(route) });
    const { code, message } = readError(reply.body);
    expect([reply.status, code]).toEqual([502, "upstream_unreachable"]);
    expect(message).toContain("its name could not be resolved");
  });

  it("[break-off.early] is told when an answer breaks off", async () => {
    const { app, upstream } = await startAppWithUpstream({ limits: { idleMs: 200 } });
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
    const broken: [Script, number, string][] = [
      [rawBytes(`${head}{"a":1,`), 502, "upstream_incomplete"],
      [rawBytes(`${head}{"a":1,`, "reset"), 502, "upstream_incomplete"],
      [text('{"a":1,', 200, plainJson), 502, "upstream_malformed"],
      [text("[1]", 200, plainJson), 502, "upstream_malformed"],
      [(response) => response.writeHead(200, plainJson).write('{"a":'), 504, "upstream_timeout"],
    ];
    for (const [script, status, code] of broken) {
      upstream.playOnce(script);
      const reply = await call(app, route.path, { model: modelFor(route) });
      expect([reply.status, readError(reply.body).code]).toEqual([status, code]);
    }
    expect(upstream.requests).toHaveLength(broken.length);
  });

  it("cuts a large answer that breaks off, for no client to take it for whole", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    const half = `{"a":"${"x".repeat(1_000_000)}`;
    for (const length of ["", "content-length: 2000000\r\n"]) {
      upstream.playOnce(rawBytes(`${head}${length}\r\n${half}`));
      await expect(call(app, route.path, { model: modelFor(route) })).rejects.toThrow(cutOff);
    }
  });

  it("refuses a whole answer where a stream was asked for", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json({ id: "x", choices: [] }));
    const reply = await call(app, route.path, { model: modelFor(route), stream: true });
    expect([reply.status, readError(reply.body).code]).toEqual([502, "upstream_malformed"]);
  });

  it("refuses a stream where a whole answer was asked for", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream(streamFrames[route.name]));
    const reply = await call(app, route.path, { model: modelFor(route) });
    expect([reply.status, readError(reply.body).code]).toEqual([502, "upstream_malformed"]);
  });
});

describe.each(modelRoutes)("[embeddings.same-rules] errors of the upstream of $name", (route) => {
  const body = { model: modelFor(route) };
  const theirs = (error: object) =>
    route.name === "messages" ? { type: "error", error } : { error };

  it.each([400, 402, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529])(
    "[upstream-error.status] [retry.status] [error.5xx] keep the status %i and the message",
    async (status) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(json(theirs({ message: "Their words", type: "own_type" }), status));
      for (const isStream of [false, true]) {
        const reply = await call(app, route.path, { ...body, stream: isStream });
        expect(reply.status).toBe(status);
        expect(readError(reply.body)).toMatchObject({ code: null, message: "Their words" });
        expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(reply.headers["x-should-retry"]).toBe(status === 409 ? "false" : undefined);
      }
      expect(upstream.requests).toHaveLength(2);
    },
  );

  it.each([401, 403])(
    "[upstream-error.401] [ending.credential] do not let a %i look like the caller's own key",
    async (status) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(
        json(theirs({ message: "Incorrect API key provided: sk-abcd1234****wxyz" }), status),
      );
      const reply = await call(app, route.path, body);
      expect(reply.status).toBe(403);
      const error = readError(reply.body);
      expect(error).toMatchObject({ code: "no_vendor_credential", type: "permission_error" });
      expect(error.message).toContain(`(${status})`);
      expect(error.message).not.toContain("abcd1234");
    },
  );

  it.each([407, 421, 426, 505, 511])(
    "are 502 when they are of its connection (%i)",
    async (status) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(text("<html>", status, html));
      const reply = await call(app, route.path, { model: modelFor(route) });
      expect(reply.status).toBe(502);
      expect(readError(reply.body).message).toContain(`answered with status ${status}`);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  it("keep the code, type and param that the dialect has room for", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const said = {
      message: "Too long",
      type: "invalid_request_error",
      code: "context_length_exceeded",
      param: "messages",
    };
    upstream.play(json(theirs(said), 400));
    expect(readError((await call(app, route.path, body)).body)).toMatchObject({
      type: "invalid_request_error",
      code: "context_length_exceeded",
      param: "messages",
      docUrl: "http://docs.test/docs/errors",
    });
  });

  it("[upstream-error.leak] leak no header, credential or address", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const secret = route.name === "responses" ? "stored-vendor-key" : "stored-upstream-key";
    const message = `key ${secret} at ${upstream.origin}/v1 with Bearer abc.def and cwk_${"a".repeat(49)}`;
    upstream.play(
      json(theirs({ message, code: secret }), 418, { "x-secret": secret, "set-cookie": "a=b" }),
    );
    const reply = await call(app, route.path, body);
    expect(JSON.stringify([reply.headers, reply.text])).not.toMatch(
      new RegExp(`${secret}|127\\.0\\.0\\.1:${upstream.port}|abc\\.def|cwk_a|a=b`),
    );
    expect(readError(reply.body).message).toBe(
      "key [redacted] at [redacted] with [redacted] and [redacted]",
    );
  });

  it("[upstream-error.retry-after] [same.answer-headers] pass a well-formed retry-after on and invent none", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const sent = async (headers: Record<string, string>) => {
      upstream.playOnce(json(theirs({ message: "x" }), 429, headers));
      return (await call(app, route.path, body)).headers["retry-after"];
    };
    expect(await sent({ "retry-after": "7" })).toBe("7");
    const date = "Fri, 20 Nov 2026 23:00:00 GMT";
    expect(await sent({ "retry-after": date })).toBe(date);
    expect(await sent({ "retry-after": "soon" })).toBeUndefined();
    expect(await sent({})).toBeUndefined();
  });

  it.each<[string, Script, string]>([
    ["a page", text("<html>Bad gateway</html>", 502, html), "answered with status 502"],
    ["nothing", text("", 502), "answered with status 502"],
    ["a plain message", json({ message: "flat" }, 502), "flat"],
    ["a detail", json({ detail: "not here" }, 502), "not here"],
    ["a detail with an object", json({ detail: { error: "no model" } }, 502), "no model"],
    ["a detail with an error", json({ detail: { error: { message: "deep" } } }, 502), "deep"],
    [
      "a list of wrong fields",
      json(
        {
          detail: [
            { loc: ["body", "messages", 0, "role"], msg: "Field required", type: "missing" },
            { msg: "no place" },
            "junk",
          ],
        },
        502,
      ),
      "body.messages.0.role: Field required; no place",
    ],
    ["an empty list", json({ detail: [] }, 502), "answered with status 502"],
    ["an error that is a string", json({ error: "just text" }, 502), "just text"],
    ["broken JSON", text('{"error":{"message":"x', 502, plainJson), "answered with status 502"],
    [
      "a body that never ends",
      (response) => response.writeHead(502).write("{"),
      "answered with status 502",
    ],
    ["a body without an end", text(`"${"x".repeat(200_000)}`, 502), "answered with status 502"],
  ])("are told when the body is %s", async (_, script, message) => {
    const { app, upstream } = await startAppWithUpstream({ limits: { idleMs: 200 } });
    upstream.play(script);
    const reply = await call(app, route.path, body);
    expect(reply.status).toBe(502);
    expect(readError(reply.body).message).toContain(message);
  });

  it("are errors although the status says 200", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json(theirs({ message: "Slow down", type: "rate_limit_error" })));
    const reply = await call(app, route.path, body);
    expect([reply.status, readError(reply.body).message]).toEqual([502, "Slow down"]);
  });
});

describe("the retry budget", () => {
  it("stops retries when an upstream keeps failing", async () => {
    const { app, upstream } = await startAppWithUpstream();
    for (let index = 0; index < 25; index++) {
      // An answer now and then, or the upstream would be left alone altogether.
      upstream.play(index % 5 === 4 ? json({ ok: true }) : reset);
      await call(app, "/v1/chat/completions", { model: "custom/acme/m" });
    }
    // 25 calls, 10 retries in reserve, and a tenth of a retry earned per call.
    expect(upstream.requests.length).toBeLessThanOrEqual(25 + 10 + 3);
    expect(upstream.requests.length).toBeGreaterThanOrEqual(25 + 10);
  });
});

describe("slow first bytes", () => {
  it("are waited for up to the limit", async () => {
    const { app, upstream } = await startAppWithUpstream({
      limits: { firstByteMs: 1000, idleMs: 100 },
    });
    upstream.play(late(400, json({ a: 1 })));
    expect((await call(app, "/v1/chat/completions", { model: "custom/acme/m" })).status).toBe(200);
  });
});
