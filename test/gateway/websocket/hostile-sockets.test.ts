import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate as immediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stream } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { wordsFrame } from "../transcode/upstream-frames.ts";
import { heldStream } from "../turn/held-stream.ts";
import { openSocket } from "./socket-client.ts";
import { answerOf, modelOf, startSocketInstance, type SocketInstance } from "./socket-instance.ts";

let instance: SocketInstance;

beforeAll(async () => {
  instance = await startSocketInstance({
    file: { limits: { max_body_mib: 1, held_bodies_mib: 4, idle_ms: 2000 } },
  });
});

afterAll(() => instance.close());

/** A connection whose frames a test writes itself; what comes is read unless it says otherwise. */
async function openRaw(secret: string): Promise<Socket> {
  const { hostname, port } = new URL(instance.causeway.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(
    "GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
      `authorization: Bearer ${secret}\r\nsec-websocket-version: 13\r\n` +
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [head] = await once(socket, "data");
  expect(head.toString()).toMatch(/^HTTP\/1.1 101 /);
  return socket;
}

const text = 0x81;
const masked = 0x80;

/** A frame masked with zeros. */
function frame(first: number, payload: Buffer): Buffer {
  const length = payload.length;
  const size = Buffer.alloc(length < 126 ? 1 : length < 65_536 ? 3 : 9);
  size[0] = masked | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([Buffer.from([first]), size, Buffer.alloc(4), payload]);
}

/** All that comes until the connection ends. */
async function rest(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!socket.destroyed) await once(socket, "close");
  return Buffer.concat(chunks);
}

/** Another caller is served as ever. */
async function expectOthersServed(): Promise<void> {
  const { causeway, upstream, caller } = instance;
  const { secret } = await caller();
  upstream.play(answerOf("chat"));
  const client = await openSocket(causeway.url, secret);
  const events = await client.ask({ model: modelOf("chat"), input: "Hello?" });
  expect(events.at(-1)?.type).toBe("response.completed");
}

describe("a connection is cut, and others are not harmed, when its caller", () => {
  it.each([
    ["sends no mask", Buffer.from([text, 1, 0x7b]), 1002],
    ["announces a giant frame", frame(text, Buffer.alloc(0)).fill(masked | 127, 1, 2), 1009],
    ["sends what is no UTF-8", frame(text, Buffer.from([0xff])), 1007],
    ["sends a reserved opcode", frame(0x83, Buffer.from("x")), 1002],
  ])("%s", async (_what, bytes, code) => {
    const { secret } = await instance.caller();
    const socket = await openRaw(secret);
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(2n ** 32n);
    const isGiant = code === 1009;
    socket.write(isGiant ? Buffer.concat([bytes.subarray(0, 2), size]) : bytes);
    const [closing] = await once(socket, "data");
    expect([closing[0], closing.readUInt16BE(2)]).toEqual([0x88, code]);
    await expectOthersServed();
  });

  it("sends a message over the limit in fragments", async () => {
    const { secret } = await instance.caller();
    const socket = await openRaw(secret);
    socket.write(frame(0x01, Buffer.alloc(600_000, 0x20)));
    socket.write(frame(0x00, Buffer.alloc(600_000, 0x20)));
    const [closing] = await once(socket, "data");
    expect([closing[0], closing.readUInt16BE(2)]).toEqual([0x88, 1009]);
  });

  it("holds more half messages than a key may", async () => {
    const { secret } = await instance.caller();
    const half = frame(0x01, Buffer.alloc(700_000, 0x20)).subarray(0, 650_000);
    const one = await openRaw(secret);
    one.write(half);
    const other = await openRaw(secret);
    other.write(half);
    const told = (await Promise.race([rest(one), rest(other)])).toString();
    expect(told).toContain('"status":429');
    await expectOthersServed();
    one.destroy();
    other.destroy();
  });

  it("sends creates and reads no refusal", async () => {
    const { upstream, caller } = instance;
    const { secret } = await caller();
    const held = heldStream();
    upstream.play(held.script);
    const socket = await openRaw(secret);
    socket.pause();
    const body = JSON.stringify({ type: "response.create", model: modelOf("chat"), input: "x" });
    const creates = Buffer.concat(
      Array.from({ length: 500 }, () => frame(text, Buffer.from(body))),
    );
    while (!socket.destroyed && socket.writable) {
      if (!socket.write(creates))
        await Promise.race([once(socket, "drain"), once(socket, "close")]);
      await immediate();
    }
    await upstream.requests.at(-1)?.closed;
    await expectOthersServed();
  });

  it("pings and reads no answer", async () => {
    const { secret } = await instance.caller();
    const socket = await openRaw(secret);
    socket.pause();
    const pings = Buffer.concat(Array.from({ length: 500 }, () => frame(0x89, Buffer.alloc(125))));
    while (!socket.destroyed && socket.writable) {
      if (!socket.write(pings)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
      await immediate();
    }
    await expectOthersServed();
  });

  it("does not read its answer", async () => {
    const { upstream, caller } = instance;
    const { secret, session } = await caller();
    const words = wordsFrame("chat", "word ".repeat(2000));
    upstream.play(stream(Array.from({ length: 4000 }, () => words)));
    const socket = await openRaw(secret);
    socket.pause();
    const body = JSON.stringify({ type: "response.create", model: modelOf("chat"), input: "x" });
    socket.write(frame(text, Buffer.from(body)));
    const calls = () => instance.causeway.call("GET", "/v1/calls", { token: session });
    await waitUntil(async () => (await calls()).body.data.length === 1, 20_000);
    await expectOthersServed();
  });

  it("is gone in the middle of a frame", async () => {
    const { secret } = await instance.caller();
    const socket = await openRaw(secret);
    socket.write(frame(text, Buffer.alloc(1000)).subarray(0, 500));
    await immediate();
    socket.resetAndDestroy();
    await expectOthersServed();
  });
});

describe("pings between the parts of a message", () => {
  it("are answered, and the message is read", async () => {
    const { secret } = await instance.caller();
    const socket = await openRaw(secret);
    const body = Buffer.from(
      JSON.stringify({ type: "response.create", generate: false, model: "m" }),
    );
    socket.write(frame(0x01, body.subarray(0, 10)));
    socket.write(frame(0x89, Buffer.from("hi")));
    const [pong] = await once(socket, "data");
    expect(pong.toString("latin1")).toBe("\u008a\u0002hi");
    socket.write(frame(0x80, body.subarray(10)));
    const [answer] = await once(socket, "data");
    expect(answer.toString()).toContain("response.created");
  });
});
