import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { TurnContentSealer } from "../../src/turn/turn-encryption.ts";

const seals = new TurnContentSealer(new SecretBox([randomBytes(32)]));
const text = "x".repeat(4 * 1024 * 1024);

/** Turns of the event loop while the work runs. */
async function loopTurnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  await work();
  clearImmediate(next);
  return turns;
}

it("TurnContentSealer seals a large end and its frames with turns of the event loop in between", async () => {
  const response = { id: "turn_1", output: [{ text }] };
  const frames = ["a", text, 'b"'];
  const turns = await loopTurnsDuring(async () => {
    const end = await seals.end("turn_1", { response, items: undefined });
    expect(seals.openEndResponse("turn_1", end, false)).toEqual(response);
    const sealed = await seals.frames("turn_1", 3, frames);
    expect(seals.openFrames("turn_1", 3, sealed)).toEqual(frames);
  });
  expect(turns).toBeGreaterThanOrEqual(8);
});
