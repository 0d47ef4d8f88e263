import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { openRaw, startFront, until } from "./start-front.ts";

/** Refuses by the headers alone and reads nothing of the body. */
function routes(app: FastifyInstance): void {
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.post("/refuse", (_request, reply) => reply.code(413).send({ refused: true }));
  const onRequest = async (_request: FastifyRequest, reply: FastifyReply) => {
    await reply.code(401).send({});
  };
  app.post("/unauthorized", { onRequest }, () => undefined);
}

const size = 16 * 1024 * 1024;
const head = `POST /refuse HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: a/b\r\ncontent-length: ${size}\r\n\r\n`;

describe("a refused body on a connection that is to close", () => {
  test("is read to its end, so that the refusal arrives", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write(head);
    const error = await new Promise((resolve) => raw.socket.write(Buffer.alloc(size), resolve));
    expect(error).toBeFalsy();
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 413 .*\{"refused":true\}$/s);
    await until(() => front.front.connectionCount === 0);
  });

  test("is not waited for when the caller leaves", async () => {
    const front = await startFront(routes);
    const raw = await openRaw(front);
    raw.socket.write(head);
    await until(() => raw.received().endsWith('{"refused":true}'));
    raw.socket.destroy();
    await until(() => front.front.connectionCount === 0);
    expect(raw.received()).toMatch(/^HTTP\/1\.1 413 /);
  });
});

const endless = "POST /unauthorized HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";

describe("a connection with a body that goes on after its answer", () => {
  it("closes soon after the answer when the body declares no length", async () => {
    const front = await startFront(routes, { unreadMs: 300 });
    const raw = await openRaw(front);
    raw.socket.write(endless);
    const trickle = setInterval(() => raw.socket.write("1\r\nx\r\n"), 20);
    onTestFinished(() => clearInterval(trickle));
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("serves the next request when the body ended in time", async () => {
    const front = await startFront(routes, { unreadMs: 300 });
    const raw = await openRaw(front);
    raw.socket.write(endless);
    await until(() => raw.received().endsWith("{}"));
    raw.socket.write(`1\r\nx\r\n0\r\n\r\n${endless}0\r\n\r\n`);
    await until(() => raw.received().split("HTTP/1.1 401 ").length === 3);
    expect(raw.socket.destroyed).toBe(false);
  });

  it("keeps nothing of the requests that it has served", async () => {
    const counts: number[] = [];
    const front = await startFront((app) => {
      app.addHook("onRequest", async ({ raw: { socket } }) => {
        counts.push(socket.listenerCount("close"));
      });
      routes(app);
    });
    const raw = await openRaw(front);
    for (let served = 1; served <= 5; served += 1) {
      raw.socket.write(endless);
      await until(() => raw.received().split("HTTP/1.1 401 ").length === served + 1);
      raw.socket.write("1\r\nx\r\n0\r\n\r\n");
    }
    expect(new Set(counts.slice(1)).size).toBe(1);
  });

  it("stops reading after 64 MiB", async () => {
    let read = (): number => 0;
    const front = await startFront(
      (app) => {
        app.addHook("onRequest", async ({ raw: { socket } }) => {
          read = () => socket.bytesRead;
        });
        routes(app);
      },
      { unreadMs: 3000 },
    );
    const raw = await openRaw(front);
    raw.socket.write(endless);
    const part = Buffer.concat([
      Buffer.from("100000\r\n"),
      Buffer.alloc(1024 * 1024),
      Buffer.from("\r\n"),
    ]);
    for (let parts = 0; parts < 400; parts++) raw.socket.write(part);
    await raw.closed;
    expect(raw.received()).toMatch(/^HTTP\/1\.1 401 /);
    expect(read()).toBeLessThan(70 * part.length);
  });
});
