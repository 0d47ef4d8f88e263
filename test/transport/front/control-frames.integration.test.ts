import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  flag,
  frame,
  frameType,
  headerBlock,
  number32,
  preface,
  readFrames,
} from "../../fuzz/wire/http2-frames.ts";
import { startFront, type RunningHttpFront } from "./start-front.ts";

const enhanceYourCalm = 11;

function routes(app: FastifyInstance): void {
  app.get("/ok", () => ({ ok: true }));
  app.post("/length", { bodyLimit: 32 * 1024 * 1024 }, (request) => ({
    length: (request.body as Buffer).length,
  }));
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

/**
 * Sends packets of 500 equal frames until the connection ends, the next when `answeredBytes`
 * have come for each. Resolves with all that came.
 */
async function flood(
  front: RunningHttpFront,
  first: Buffer,
  repeated: Buffer,
  answeredBytes = 0,
): Promise<Buffer> {
  const socket = connect(front.port, front.host).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(Buffer.concat([preface, frame(frameType.settings, 0, 0), first]));
  const packet = Buffer.concat(Array.from({ length: 500 }, () => repeated));
  for (let due = answeredBytes; !socket.destroyed; due += answeredBytes) {
    if (socket.write(packet)) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    while (socket.bytesRead < due && !socket.destroyed)
      await Promise.race([new Promise((resolve) => socket.once("data", resolve)), closed]);
  }
  await closed;
  return Buffer.concat(received);
}

const openStream = frame(
  frameType.headers,
  flag.endHeaders,
  1,
  headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", "/length"],
    [":authority", "a"],
  ]),
);

const nothing = Buffer.alloc(0);

const ping = frame(frameType.ping, 0, 0, Buffer.alloc(8));

function windowUpdate(stream: number): Buffer {
  return frame(frameType.windowUpdate, 0, stream, number32(1));
}

describe("limitControlFrames", () => {
  it.each([
    ["window updates", nothing, windowUpdate(0), 0],
    ["window updates of a stream", openStream, windowUpdate(1), 0],
    ["pings whose answers it reads", nothing, ping, 500 * ping.length],
  ])(
    "closes a connection with ENHANCE_YOUR_CALM for endless %s",
    async (_name, first, one, answeredBytes) => {
      const front = await startFront(routes);
      const received = readFrames(await flood(front, first, one, answeredBytes));
      const goAway = received.find(({ type }) => type === frameType.goAway);
      expect(goAway?.payload.readUInt32BE(4)).toBe(enhanceYourCalm);
      expect((await fetch(`${front.url}/ok`)).status).toBe(200);
    },
  );

  it.each([
    ["pings", nothing, ping],
    ["answers to pings", nothing, frame(frameType.ping, flag.ack, 0, Buffer.alloc(8))],
    ["settings", nothing, frame(frameType.settings, 0, 0)],
    ["priorities", nothing, frame(frameType.priority, 0, 3, Buffer.alloc(5))],
    ["empty pieces of a body", openStream, frame(frameType.data, 0, 1)],
    ["frames of an unknown type", nothing, frame(99, 0, 0)],
  ])("leaves to Node a connection with endless %s, which is closed", async (_name, first, one) => {
    const front = await startFront(routes);
    await flood(front, first, one);
    expect((await fetch(`${front.url}/ok`)).status).toBe(200);
  });

  it("keeps a connection that sends much more in bodies and headers", async () => {
    const front = await startFront(routes, { maxControlBytesPerSecond: 16_384 });
    const session = connectHttp2(front.url);
    onTestFinished(() => session.destroy());
    const post = async (length: number): Promise<unknown> => {
      const headers = { ":method": "POST", ":path": "/length", "x-long": "a".repeat(8000) };
      const stream = session.request({ ...headers, "content-type": "application/x-bytes" });
      stream.end(Buffer.alloc(length));
      return JSON.parse((await stream.setEncoding("utf8").toArray()).join(""));
    };
    expect(await post(16 * 1024 * 1024)).toEqual({ length: 16 * 1024 * 1024 });
    for (let sent = 0; sent < 200; sent += 1)
      expect(await post(50_000)).toEqual({ length: 50_000 });
    expect(session.closed).toBe(false);
    session.close();
    await once(session, "close");
  });
});
