import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { PassThrough } from "node:stream";
import type { FastifyInstance } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpListenerLimits } from "../../../src/transport/front/front-limits.ts";
import { openRaw, startFront, until, type RunningHttpFront } from "./start-front.ts";

const documentBytes = 64 * 1024;
const largeBytes = 16 * 1024 * 1024;

/** Counts the requests that reached a route. */
let served = 0;

/** Answers the requests of a route that waits for it. */
const later: (() => void)[] = [];

function routes(app: FastifyInstance): void {
  served = 0;
  later.length = 0;
  const document = Buffer.alloc(documentBytes, "x");
  const large = Buffer.alloc(largeBytes, "x");
  app.addHook("onRequest", async () => void (served += 1));
  app.get("/document", (_request, reply) => reply.send(document));
  app.get("/large", (_request, reply) => reply.send(large));
  app.get("/later", (_request, reply) => {
    later.push(() => void reply.send(document));
  });
  app.get("/quiet", (_request, reply) => {
    const stream = new PassThrough();
    stream.write("begun");
    return reply.send(stream);
  });
}

/** A session whose streams may be sent nothing but their heads. */
async function openSession(
  front: RunningHttpFront,
  initialWindowSize: number,
): Promise<ClientHttp2Session> {
  const session = connectHttp2(front.url, { settings: { initialWindowSize } });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, "localSettings");
  return session;
}

/** Resolves when a session has closed, by whichever error of its socket. */
function closed(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve) => session.once("close", () => resolve()));
}

/** Asks and reads nothing of the answer, whose head has come. */
async function ask(session: ClientHttp2Session, path: string): Promise<void> {
  const stream = session.request({ ":path": path });
  stream.on("error", () => undefined);
  stream.pause();
  await once(stream, "response");
}

const quick: Partial<HttpListenerLimits> = { untakenMs: 200 };

describe("a connection whose caller reads nothing", () => {
  it("closes over HTTP/1.1 when a whole answer waits for too long", async () => {
    const front = await startFront(routes, quick);
    const raw = await openRaw(front);
    raw.socket.pause();
    raw.socket.write("GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => served === 1);
    await until(() => front.front.connectionCount === 0);
    expect(raw.received()).toBe("");
  });

  it("closes over HTTP/2 although pings are answered", async () => {
    const front = await startFront(routes, quick);
    const session = await openSession(front, 0);
    await ask(session, "/document");
    const pings = setInterval(() => {
      if (!session.destroyed) session.ping(() => undefined);
    }, 20);
    onTestFinished(() => clearInterval(pings));
    await closed(session);
    await until(() => front.front.connectionCount === 0);
    expect(served).toBe(1);
  });

  it("closes over HTTP/2 when one answer, of which a piece has been written, is too large", async () => {
    const front = await startFront(routes, { maxUnreadBytes: largeBytes - 1 });
    const session = await openSession(front, 0);
    await ask(session, "/large");
    await closed(session);
    expect(served).toBe(1);
  });

  it("closes before one that reads when all unread answers are too many", async () => {
    const front = await startFront(routes, { maxUnreadBytes: 1.5 * documentBytes });
    const first = await openSession(front, 0);
    await ask(first, "/document");
    const second = await openSession(front, 0);
    await ask(second, "/document");
    await closed(first);
    expect(second.destroyed).toBe(false);
  });
});

describe("an HTTP/2 connection with unread answers", () => {
  it("waits with further requests until the caller has read", async () => {
    const front = await startFront(routes, { maxUnreadConnectionBytes: documentBytes });
    const session = await openSession(front, 0);
    await ask(session, "/document");
    await ask(session, "/document");
    const third = session.request({ ":path": "/document" });
    third.resume();
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    expect(served).toBe(2);
    session.settings({ initialWindowSize: documentBytes });
    await once(third, "response");
    expect(served).toBe(3);
  });

  it("waits with all but a few of the requests that come before the first answer", async () => {
    const front = await startFront(routes, {
      maxUnreadConnectionBytes: 3 * 128 * 1024,
      checkMs: 60_000,
    });
    const session = await openSession(front, 1024 * 1024);
    const answered = Array.from({ length: 40 }, () => {
      const stream = session.request({ ":path": "/later" });
      stream.resume();
      return once(stream, "end");
    });
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    await until(() => served > 0);
    expect(served).toBe(4);
    for (let count = 0; count < 40; count++) {
      await until(() => later.length > 0);
      later.shift()?.();
    }
    await Promise.all(answered);
    expect(served).toBe(40);
  });

  it("takes back a request that waits when its stream is reset", async () => {
    const front = await startFront(routes, { maxUnreadConnectionBytes: documentBytes });
    const session = await openSession(front, 0);
    await ask(session, "/document");
    await ask(session, "/document");
    const third = session.request({ ":path": "/document" });
    third.on("error", () => undefined);
    third.close(8);
    await once(third, "close");
    const fourth = session.request({ ":path": "/quiet" });
    session.settings({ initialWindowSize: documentBytes });
    await once(fourth, "response");
    expect(served).toBe(3);
  });
});

describe("a connection whose caller reads slowly", () => {
  it("stays open as long as bytes are taken", async () => {
    // The system makes room for more than a megabyte at once.
    const front = await startFront(routes, { untakenMs: 1000 });
    const raw = await openRaw(front);
    let bytes = 0;
    raw.socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      raw.socket.pause();
      setTimeout(() => raw.socket.resume(), 10);
    });
    raw.socket.write("GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
    await until(() => bytes > largeBytes || raw.socket.destroyed);
    expect(raw.socket.destroyed).toBe(false);
  });

  it("stays open while a stream has nothing to send", async () => {
    const front = await startFront(routes, { untakenMs: 50 });
    const session = await openSession(front, documentBytes);
    await ask(session, "/quiet");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(session.destroyed).toBe(false);
  });
});
