import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { openRaw, startFront, until } from "./start-front.ts";

/** Refuses by the headers alone and reads nothing of the body. */
function routes(app: FastifyInstance): void {
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.post("/refuse", (_request, reply) => reply.code(413).send({ refused: true }));
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
