import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../support/seeded-random.ts";
import { late, json, stall, stream, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, modelFor, routes, type Route } from "../call.ts";
import type { ModelApp } from "../model-app.ts";
import { streamFrames } from "../stream-frames.ts";

function send(app: ModelApp, route: Route, isStream: boolean): Socket {
  const body = JSON.stringify({ model: modelFor(route), stream: isStream });
  const socket = connect(app.port, "127.0.0.1").on("error", () => {});
  socket.write(
    `POST ${route.path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

const half = Buffer.from('{"a":');

describe.each(routes)("a caller of $name that hangs up", (route) => {
  const frames = streamFrames[route.name];
  const moments: [string, boolean, Script, boolean][] = [
    ["before the head of an answer", false, stall, false],
    ["before the head of a stream", true, stall, false],
    [
      "in the middle of a body",
      false,
      (response) => response.writeHead(200, { "content-type": "application/json" }).write(half),
      false,
    ],
    [
      "before the first event",
      true,
      (response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n"),
      false,
    ],
    ["in the middle of a stream", true, stream(frames.slice(0, 2), { ending: "stall" }), true],
    ["after the last event", true, stream(frames, { ending: "stall" }), true],
  ];

  it.each(moments)(
    "[hang-up.cancel] [error.499] %s cancels the upstream at once",
    async (_, isStream, script, hasBegun) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(script);
      const socket = send(app, route, isStream);
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

  it("between two attempts stops the second", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const gone: Promise<unknown>[] = [];
    upstream.play((response) => {
      gone.push(once(socket.destroy(), "close"));
      response.socket?.resetAndDestroy();
    });
    const socket = send(app, route, false);
    await upstream.request(0);
    await Promise.all(gone);
    expect(await app.record(0)).toMatchObject({ status: 499 });
    expect(app.routes.callsInFlight).toBe(0);
  });
});

describe("many aborts", () => {
  it.each([42])("leave nothing behind (seed %i)", { timeout: 120_000 }, async (seed) => {
    const random = new SeededRandom(seed);
    // Of its own: calls arrive in another order each time.
    const lateness = new SeededRandom(seed + 1);
    const { app, upstream } = await startAppWithUpstream();
    const scripts: Script[] = routes.map((route) =>
      stream(streamFrames[route.name], { everyMs: 3 }),
    );
    upstream.play((response, request) => {
      const script = request.path.endsWith("messages") ? scripts[2] : scripts[0];
      return late(lateness.next() * 5, script ?? stall)(response, request);
    });
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    const abort = async (index: number): Promise<void> => {
      const route = routes[index % routes.length] ?? routes[0];
      const socket = send(app, route, index % 2 === 0);
      await delay(random.next() * 20);
      socket.destroy();
    };
    for (let index = 0; index < 1000; index += 20) {
      await Promise.all(Array.from({ length: 20 }, (__, offset) => abort(index + offset)));
    }
    upstream.play(json({ a: 1 }));
    // A caller that left before its request was out is none.
    await app.record(500);
    while (app.routes.callsInFlight > 0) await delay(10);
    process.off("warning", warn);
    expect(warnings).toEqual([]);
    expect([app.streams.value, app.faults]).toEqual([0, []]);
    expect((await call(app, "/v1/messages", { model: "custom/mess/m" })).status).toBe(200);
    expect(upstream.connections()).toBeLessThan(100);
  });
});
