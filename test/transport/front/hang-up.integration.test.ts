import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import type { FastifyReply } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFront, until, type RunningHttpFront } from "./start-front.ts";

/** Begins a call whose answer is open; the result hangs up. */
type Call = (running: RunningHttpFront, path: string) => () => void;

/** With how many connections are left. */
const callers: readonly [string, number, Call][] = [
  [
    "HTTP/1.1",
    0,
    ({ port, host }, path) => {
      const socket = connect(port, host).on("error", () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      return () => socket.destroy();
    },
  ],
  [
    "HTTP/2, the whole connection",
    0,
    ({ url }, path) => {
      const session = connectHttp2(url).on("error", () => {});
      session.request({ ":path": path }).on("error", () => {});
      return () => session.destroy();
    },
  ],
  [
    "HTTP/2, one call of it",
    1,
    ({ url }, path) => {
      const session = connectHttp2(url);
      onTestFinished(() => session.destroy());
      const call = session.request({ ":path": path }).on("error", () => {});
      return () => call.close();
    },
  ],
];

describe.each(callers)("a caller that hangs up: %s", (_, left, call) => {
  test.each(["/silent", "/stream"])("closes its answer at once: %s", async (path) => {
    const open: FastifyReply["raw"][] = [];
    const running = await startFront((app) => {
      app.get(path, (__, reply) => {
        reply.hijack();
        if (path === "/stream") reply.raw.writeHead(200).write("first ");
        open.push(reply.raw);
      });
    });
    const hangUp = call(running, path);
    await until(() => open.length === 1);
    const [answer] = open;
    if (answer === undefined) throw new Error("There is no answer.");
    const closed = once(answer, "close", { signal: AbortSignal.timeout(5000) });
    hangUp();
    await closed;
    await until(() => running.front.connectionCount === left);
    expect(running.front.connectionCount).toBe(left);
  });
});
