import { describe, expect, it } from "vitest";
import { WebSocketMessageMemoryTracker } from "../../../src/gateway/websocket/partial-message.ts";
import { createAccountBodyMemoryOwner } from "../../../src/platform/body-holder.ts";
import { RequestBodyMemoryBudget } from "../../../src/platform/body-memory-budget.ts";
import { frame, opening } from "./raw-socket.ts";

function arrange() {
  const bodies = new RequestBodyMemoryBudget(64);
  return {
    bodies,
    arriving: new WebSocketMessageMemoryTracker(bodies, createAccountBodyMemoryOwner("acc_1")),
  };
}

/** Three messages: two frames with a ping between them, one empty, one long. Then a pong. */
const messages = [
  frame(opening.textPart, Buffer.alloc(200)),
  frame(opening.ping, Buffer.from("hi")),
  frame(opening.lastPart, Buffer.alloc(3)),
  frame(opening.text, Buffer.alloc(0)),
  frame(opening.text, Buffer.alloc(70_000)),
  frame(0x8a, Buffer.alloc(125)),
];

describe("PartialMessage", () => {
  it("counts a message that begins in the chunk that ended the one before", () => {
    const { bodies, arriving } = arrange();
    const part = frame(opening.text, Buffer.alloc(50_000)).subarray(0, 40_000);
    arriving.add(Buffer.concat([frame(opening.text, Buffer.alloc(10)), part]));
    arriving.take()?.release();
    expect(bodies.all.bytes).toBeGreaterThanOrEqual(40_000);
    expect(arriving.since).toBeTypeOf("number");
  });

  it("counts a whole message until the listener releases it", () => {
    const { bodies, arriving } = arrange();
    arriving.add(frame(opening.text, Buffer.alloc(5000)));
    const held = arriving.take();
    expect(arriving.since).toBeUndefined();
    expect(bodies.all.bytes).toBeGreaterThanOrEqual(5000);
    held?.release();
    expect(bodies.all.bytes).toBe(0);
  });

  it("counts the cost of each frame of a message in many small ones", () => {
    const { bodies, arriving } = arrange();
    const tiny = frame(opening.textPart, Buffer.alloc(1));
    arriving.add(Buffer.concat([tiny, ...Array.from({ length: 999 }, () => frame(0, tiny))]));
    expect(bodies.all.bytes).toBeGreaterThan(100_000);
  });

  it("counts no control frame between messages", () => {
    const { bodies, arriving } = arrange();
    arriving.add(frame(opening.ping, Buffer.alloc(125)));
    arriving.add(frame(opening.ping, Buffer.alloc(125)).subarray(0, 60));
    expect([bodies.all.bytes, arriving.since]).toEqual([0, undefined]);
  });

  it.each([1, 2, 3, 7, 64, 1000, 65_536, 100_000])(
    "finds every message in chunks of %i bytes",
    (size) => {
      const { bodies, arriving } = arrange();
      const bytes = Buffer.concat(messages);
      for (let at = 0; at < bytes.length; at += size) arriving.add(bytes.subarray(at, at + size));
      expect(arriving.since).toBeUndefined();
      for (let taken = 0; taken < 3; taken++) expect(arriving.take()?.release()).toBeUndefined();
      expect([bodies.all.bytes, arriving.take()]).toEqual([0, undefined]);
    },
  );

  it("takes no message that was ended", () => {
    const { bodies, arriving } = arrange();
    let error: unknown;
    arriving.onEnd = (reason) => (error = reason);
    const part = frame(opening.text, Buffer.alloc(20_000_000)).subarray(0, 17_000_000);
    arriving.add(part);
    expect(error).toMatchObject({ status: 413 });
    arriving.add(Buffer.alloc(4_000_000));
    expect([bodies.all.bytes, arriving.take()]).toEqual([0, undefined]);
  });
});
