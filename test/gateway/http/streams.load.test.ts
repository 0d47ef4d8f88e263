import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { late, stall, stream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, modelFor, readError, routes, type Route } from "../call.ts";
import type { ModelApp } from "../model-app.ts";
import { streamFrames } from "../stream-frames.ts";

/** What undici says when a body ends too early. */
const cutOff = /terminated|closed|aborted|mismatch/;

function streamCall(app: ModelApp, route: Route) {
  return call(app, route.path, { model: modelFor(route), stream: true });
}

/** What comes of a stream, piece by piece. */
async function openStream(app: ModelApp, route: Route): Promise<AsyncIterable<Buffer>> {
  const { body } = await request(`${app.origin}${route.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: modelFor(route), stream: true }),
  });
  return body;
}

describe.each(routes)("streams of $name", (route) => {
  const frames = streamFrames[route.name];
  const bytes = Buffer.from(frames.join(""));
  /** Around every line's end, and here and there: frame-tracker.test.ts cuts at every byte. */
  const cuts = Array.from(bytes.subarray(1), (_byte, at) => at + 1).filter(
    (at) => at % 11 === 0 || bytes.subarray(Math.max(0, at - 2), at + 1).includes("\n"),
  );

  it("[same.answer] [service.sse] are passed on byte for byte with their content type", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const headers = {
      "content-type": "text/event-stream; v=1",
      "cache-control": "x",
      "x-own": "y",
    };
    upstream.play(stream(frames, { headers }));
    const reply = await streamCall(app, route);
    expect(reply.text).toBe(bytes.toString());
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream; v=1",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-svc-route-used": "byo",
    });
    expect(reply.headers["x-own"]).toBeUndefined();
    expect(reply.headers["content-length"]).toBeUndefined();
    expect(await app.record(0)).toMatchObject({
      status: 200,
      isStream: true,
      errorCode: undefined,
    });
    expect(app.streams.value).toBe(0);
  });

  it("are the same wherever the upstream's bytes are cut", async () => {
    const { app, upstream } = await startAppWithUpstream();
    for (const cut of cuts) {
      upstream.playOnce(stream([bytes.subarray(0, cut), bytes.subarray(cut)], { everyMs: 1 }));
      const reply = await streamCall(app, route);
      expect([cut, reply.status, reply.text]).toEqual([cut, 200, bytes.toString()]);
    }
  });

  it("are the same with CRLF", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const text = bytes.toString().replaceAll("\n", "\r\n");
    upstream.play(stream([text.slice(0, 50), text.slice(50)]));
    expect((await streamCall(app, route)).text).toBe(text);
  });

  it("reach the caller frame by frame", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream(frames, { everyMs: 40 }));
    const arrivals: string[] = [];
    for await (const chunk of await openStream(app, route)) arrivals.push(String(chunk));
    expect(arrivals).toEqual(frames);
  });

  it("[break-off.stream] [code.mid-stream] are reported as broken off when they end before their last event", async () => {
    const { app, upstream } = await startAppWithUpstream();
    for (const ending of ["end", "reset"] as const) {
      upstream.playOnce(stream(frames.slice(0, 2), { everyMs: 5, ending }));
      const reply = await streamCall(app, route);
      expect(reply.text.startsWith(frames.slice(0, 2).join(""))).toBe(true);
      const rest = reply.text.slice(frames.slice(0, 2).join("").length);
      expect(readStreamError(rest)).toMatchObject({ code: "upstream_incomplete" });
    }
    expect(await app.record(1)).toMatchObject({ status: 200, errorCode: "upstream_incomplete" });
  });

  it("never pass on a frame that was cut", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const whole = frames.slice(0, 2).join("");
    const half = (frames[2] ?? "").slice(0, 20);
    upstream.play(stream([whole + half], { everyMs: 5, ending: "reset" }));
    const reply = await streamCall(app, route);
    expect(reply.text.startsWith(whole)).toBe(true);
    expect(readStreamError(reply.text.slice(whole.length))).toMatchObject({
      code: "upstream_incomplete",
    });
  });

  it("end as they should when the upstream breaks off after its last event", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream([bytes, "garbage"], { everyMs: 5, ending: "reset" }));
    const reply = await streamCall(app, route);
    expect(reply.text).toBe(bytes.toString());
    expect(await app.record(0)).toMatchObject({ errorCode: undefined });
  });

  it("[keep-alive.silence] get the dialect's keep-alive while the upstream is silent", async () => {
    const { app, upstream } = await startAppWithUpstream({ callLimits: { keepAliveMs: 60 } });
    upstream.play(stream([frames[0] ?? "", frames.slice(1).join("")], { everyMs: 200 }));
    const reply = await streamCall(app, route);
    // On a busy machine several of them fall together.
    const keepAlive =
      route.name === "messages" ? 'event: ping\ndata: {"type": "ping"}\n\n' : ": keep-alive\n\n";
    expect(reply.text.split(keepAlive).length).toBeGreaterThan(1);
    expect(reply.text.replaceAll(keepAlive, "")).toBe(bytes.toString());
  });

  it("get no keep-alive inside a frame", async () => {
    const { app, upstream } = await startAppWithUpstream({ callLimits: { keepAliveMs: 60 } });
    const middle = Math.floor((frames[0] ?? "").length / 2);
    const pieces = [bytes.subarray(0, middle), bytes.subarray(middle)];
    upstream.play(stream(pieces, { everyMs: 200 }));
    expect((await streamCall(app, route)).text).toBe(bytes.toString());
  });

  it("begin when the upstream says nothing for long, and end with an error when it goes on", async () => {
    const { app, upstream } = await startAppWithUpstream({
      callLimits: { commitMs: 60, keepAliveMs: 60 },
      limits: { firstByteMs: 400 },
    });
    upstream.play(stall);
    const reply = await streamCall(app, route);
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(reply.text).toMatch(/^(?:: keep-alive|event: ping)\n/);
    expect(readStreamError(reply.text)).toMatchObject({ code: "upstream_timeout" });
  });

  it("begin also behind a head that does not tell what comes", async () => {
    const { app, upstream } = await startAppWithUpstream({
      callLimits: { commitMs: 60, keepAliveMs: 60 },
      limits: { firstByteMs: 400 },
    });
    upstream.play((response) => response.writeHead(200).flushHeaders());
    const reply = await streamCall(app, route);
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(/^(?:: keep-alive|event: ping)\n/);
    expect(readStreamError(reply.text)).toMatchObject({ code: "upstream_timeout" });
  });

  it("go on after an early beginning as if nothing had been", async () => {
    const { app, upstream } = await startAppWithUpstream({ callLimits: { commitMs: 60 } });
    upstream.play(late(200, stream(frames)));
    const reply = await streamCall(app, route);
    expect(reply.text.endsWith(bytes.toString())).toBe(true);
    upstream.play(late(200, (response) => response.writeHead(429).end()));
    expect(readStreamError((await streamCall(app, route)).text)).toMatchObject({
      message: expect.stringContaining("429"),
    });
  });

  it("[upstream-error.timeout] [code.mid-stream] end with an error when the upstream falls silent", async () => {
    const { app, upstream } = await startAppWithUpstream({ limits: { idleMs: 150 } });
    upstream.play(stream(frames.slice(0, 2), { ending: "stall" }));
    const reply = await streamCall(app, route);
    expect(readStreamError(reply.text)).toMatchObject({ code: "upstream_timeout" });
    await (
      await upstream.request(0)
    ).closed;
  });

  it("end well when the upstream falls silent after its last event", async () => {
    const { app, upstream } = await startAppWithUpstream({ limits: { idleMs: 150 } });
    upstream.play(stream(frames, { ending: "stall" }));
    expect((await streamCall(app, route)).text).toBe(bytes.toString());
  });

  it("end with an error when the server stops", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stream(frames.slice(0, 2), { ending: "stall" }));
    const reply = streamCall(app, route);
    const { closed } = await upstream.request(0);
    await delay(50);
    app.routes.closeStreams();
    expect(readStreamError((await reply).text)).toMatchObject({ code: "unavailable" });
    await closed;
    expect(app.routes.callsInFlight).toBe(0);
  });

  it("[code.unavailable] are answered with a status when the server stops before they begin", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(stall);
    const reply = streamCall(app, route);
    await upstream.request(0);
    app.routes.closeStreams();
    expect(await reply).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  });

  it("are recognised without a content type, and behind the wrong one", async () => {
    const { app, upstream } = await startAppWithUpstream();
    for (const headers of [
      {},
      { "content-type": "text/plain" },
      { "content-type": "application/json" },
    ]) {
      upstream.playOnce(stream(frames, { headers }));
      const reply = await streamCall(app, route);
      expect(reply.text).toBe(bytes.toString());
      expect(reply.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    }
  });

  it("[break-off.early] become a status when their first event is an error", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const error = { type: "overloaded_error", message: "Overloaded" };
    const data =
      route.name === "responses"
        ? { type: "error", code: error.type, message: error.message }
        : { type: "error", error };
    upstream.play(stream([`event: error\ndata: ${JSON.stringify(data)}\n\n`]));
    const reply = await streamCall(app, route);
    expect(reply.status).toBe(529);
    expect(readError(reply.body).message).toBe("Overloaded");
    expect(app.streams.value).toBe(0);
  });

  it("pass an error event on when it comes later, and add none", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const text = `${frames[0]}event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n`;
    upstream.play(stream([text]));
    expect((await streamCall(app, route)).text).toBe(text);
    expect(await app.record(0)).toMatchObject({ errorCode: "upstream_error" });
  });

  it("pass frames on in parts when they are huge", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const huge = `${frames[0]}data: ${"x".repeat(2_000_000)}\n\n`;
    const text = huge + frames.slice(1).join("");
    upstream.play(stream([text]));
    expect((await streamCall(app, route)).text).toBe(text);
    const sending = Promise.withResolvers<ServerResponse>();
    upstream.play((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(huge.slice(0, 1_000_000));
      sending.resolve(response);
    });
    const reading = async (): Promise<void> => {
      let length = 0;
      for await (const chunk of await openStream(app, route)) {
        length += chunk.length;
        if (length > 300_000) (await sending.promise).destroy();
      }
    };
    await expect(reading()).rejects.toThrow(cutOff);
  });
});

describe("slow readers", () => {
  const frame = `data: {"x":"${"y".repeat(16_000)}"}\n\n`;
  const total = 2000;

  function flood(upstream: FakeUpstream): { written: () => number } {
    let written = 0;
    upstream.play((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const push = (): void => {
        while (written < total && !response.destroyed) {
          written += 1;
          if (!response.write(frame)) {
            response.once("drain", push);
            return;
          }
        }
        response.end("data: [DONE]\n\n");
      };
      push();
    });
    return { written: () => written };
  }

  it("hold the upstream back and get everything in the end", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const { written } = flood(upstream);
    const socket = slowSocket(app);
    socket.pause();
    await upstream.request(0);
    let before = -1;
    while (written() !== before) {
      before = written();
      await delay(150);
    }
    expect(written()).toBeLessThan(total / 2);
    let length = 0;
    socket.on("data", (chunk) => (length += chunk.length)).resume();
    await once(socket, "end");
    const record = await app.record(0);
    expect(record.responseBytes).toBe(frame.length * total + "data: [DONE]\n\n".length);
    expect(record.isAborted).toBe(false);
    expect(length).toBeGreaterThanOrEqual(record.responseBytes);
  });

  it("are dropped when they read nothing for long", async () => {
    const { app, upstream } = await startAppWithUpstream({
      callLimits: { blockedMs: 200 },
      limits: { idleMs: 100 },
    });
    flood(upstream);
    const socket = slowSocket(app);
    socket.pause();
    const { closed } = await upstream.request(0);
    await closed;
    expect(await app.record(0)).toMatchObject({ status: 200, isAborted: false });
    socket.destroy();
    expect(app.routes.callsInFlight).toBe(0);
  });
});

/** A caller of which the test decides when it reads. */
function slowSocket(app: ModelApp) {
  const body = JSON.stringify({ model: "custom/acme/m", stream: true });
  const socket = connect(app.port, "127.0.0.1");
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
      `connection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

function readStreamError(text: string): Record<string, unknown> {
  const last = JSON.parse(parseEventStreamText(text).at(-1)?.data ?? "{}") as Record<
    string,
    unknown
  >;
  return "error" in last ? { ...readError(last) } : last;
}
