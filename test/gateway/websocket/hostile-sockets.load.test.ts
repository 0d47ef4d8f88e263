import { once } from "node:events";
import { setImmediate as immediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pausedStream } from "../turn/paused-stream.ts";
import { createFrame, flood, frame, opening, openRaw, rest } from "./raw-socket.ts";
import { openSocket } from "./socket-client.ts";
import { answerOf, modelOf, startSocketInstance, type SocketInstance } from "./socket-instance.ts";

let instance: SocketInstance;

beforeAll(async () => {
  instance = await startSocketInstance({
    file: { limits: { max_body_mib: 1, held_bodies_mib: 4 } },
  });
});

afterAll(() => instance.close());

async function open() {
  const { secret } = await instance.caller();
  return { secret, socket: await openRaw(instance.causeway.url, secret) };
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

const nothing = Buffer.alloc(0);

/** The head of a masked frame of 4 GiB. */
const giant = Buffer.from([opening.text, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]);

describe("a connection is cut, and others are not harmed, when its caller", () => {
  it.each([
    ["sends no mask", Buffer.from([opening.text, 1, 0x7b]), 1002],
    ["announces a giant frame", giant, 1009],
    ["sends what is no UTF-8", frame(opening.text, Buffer.from([0xff])), 1007],
    ["sends a reserved opcode", frame(0x83, Buffer.from("x")), 1002],
  ])("%s", async (_what, bytes, code) => {
    const { socket } = await open();
    socket.write(bytes);
    const [closing] = await once(socket, "data");
    expect([closing[0], closing.readUInt16BE(2)]).toEqual([0x88, code]);
    await expectOthersServed();
  });

  it("[socket.each-message] sends a message over the limit in fragments", async () => {
    const { socket } = await open();
    socket.write(frame(opening.textPart, Buffer.alloc(600_000, 0x20)));
    socket.write(frame(0x00, Buffer.alloc(600_000, 0x20)));
    const [closing] = await once(socket, "data");
    expect([closing[0], closing.readUInt16BE(2)]).toEqual([0x88, 1009]);
  });

  it("holds more half messages than a key may", async () => {
    const { socket: one, secret } = await open();
    const other = await openRaw(instance.causeway.url, secret);
    const half = frame(opening.textPart, Buffer.alloc(700_000, 0x20)).subarray(0, 650_000);
    one.write(half);
    other.write(half);
    expect((await Promise.race([rest(one), rest(other)])).toString()).toContain('"status":429');
    await expectOthersServed();
  });

  it("sends creates and reads no refusal", async () => {
    const { upstream } = instance;
    const { socket } = await open();
    const held = pausedStream();
    upstream.play(held.script);
    const create = createFrame({ model: modelOf("chat"), input: "x" });
    socket.write(create);
    await held.begun;
    await flood(socket, Buffer.concat(Array.from({ length: 500 }, () => create)));
    await upstream.requests.at(-1)?.closed;
    await expectOthersServed();
  });

  it("sends many messages in a second that are refused", async () => {
    const { socket } = await open();
    socket.write(Buffer.concat(Array.from({ length: 1000 }, () => frame(opening.text, nothing))));
    const answers = (await rest(socket)).toString();
    expect(answers.match(/"type":"error"/g)?.length).toBeLessThan(100);
    expect(answers).toContain("Too many messages were refused.");
    await expectOthersServed();
  });

  it("pings and reads no answer", async () => {
    const { socket } = await open();
    const ping = frame(opening.ping, Buffer.alloc(125));
    await flood(socket, Buffer.concat(Array.from({ length: 500 }, () => ping)));
    await expectOthersServed();
  });

  it("floods it with pings and reads their answers", async () => {
    const { socket } = await open();
    socket.resume();
    socket.write(frame(opening.ping, Buffer.alloc(0)).toString("latin1").repeat(1001), "latin1");
    await once(socket, "close");
    await expectOthersServed();
  });

  it("is gone in the middle of a frame", async () => {
    const { socket } = await open();
    socket.write(frame(opening.text, Buffer.alloc(1000)).subarray(0, 500));
    await immediate();
    socket.resetAndDestroy();
    await expectOthersServed();
  });
});

describe("a ping between the parts of a message", () => {
  it("is answered, and the message is read", async () => {
    const { socket } = await open();
    const text = JSON.stringify({ type: "response.create", generate: false, model: "m" });
    const body = Buffer.from(text);
    socket.write(frame(opening.textPart, body.subarray(0, 10)));
    socket.write(frame(opening.ping, Buffer.from("hi")));
    const [pong] = await once(socket, "data");
    expect(pong.toString("latin1")).toBe("\u008a\u0002hi");
    socket.write(frame(opening.lastPart, body.subarray(10)));
    const [answer] = await once(socket, "data");
    expect(answer.toString()).toContain("response.created");
  });
});
