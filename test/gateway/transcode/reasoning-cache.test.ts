import { describe, expect, it } from "vitest";
import {
  ReasoningCache,
  type ReasoningCacheLimits,
} from "../../../src/gateway/transcode/reasoning-cache.ts";

function start(limits: Partial<ReasoningCacheLimits> = {}) {
  const time = { now: 1_000_000 };
  return { time, memory: new ReasoningCache({ now: () => time.now }, limits) };
}

const owner = (name: string, keyId = `key_${name}`) => ({ accountId: `user_${name}`, keyId });
const call = (id: string) => ({ id, name: "weather", arguments: "{}" });

describe("the memory of thoughts", () => {
  it("gives them to the key that they were made for, and to no other", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), ["cw1.x"]);
    expect(memory.lookUp(owner("a")).before(call("call_0"))).toEqual(["cw1.x"]);
    expect(memory.lookUp(owner("a", "key_other")).before(call("call_0"))).toBeUndefined();
    expect(memory.lookUp(owner("b")).before(call("call_0"))).toBeUndefined();
  });

  it("tells a call without thoughts from one that it does not know", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), []);
    expect(memory.lookUp(owner("a")).before(call("call_0"))).toEqual([]);
    expect(memory.lookUp(owner("a")).before(call("call_1"))).toBeUndefined();
  });

  it("is bounded in bytes and entries, of all and of one account; the oldest go first", () => {
    const limits = { entries: 50, entriesOfAccount: 10, bytes: 20_000, bytesOfAccount: 8000 };
    const { memory } = start(limits);
    memory.set(owner("quiet"), call("call_0"), ["cw1.quiet"]);
    for (let at = 0; at < 40; at += 1) memory.set(owner("loud"), call(`call_${at}`), ["x"]);
    const loud = memory.lookUp(owner("loud"));
    const known = Array.from({ length: 40 }, (_none, at) => loud.before(call(`call_${at}`)));
    expect(known.filter((found) => found !== undefined)).toHaveLength(10);
    expect(known.at(-1)).toEqual(["x"]);
    expect(memory.lookUp(owner("quiet")).before(call("call_0"))).toEqual(["cw1.quiet"]);
    for (let at = 0; at < 40; at += 1) {
      memory.set(owner(`big${at}`), call("call_0"), ["y".repeat(3000)]);
      memory.set(owner(`big${at}`), call("call_1"), ["y".repeat(3000)]);
    }
    expect(memory.bytes).toBeLessThanOrEqual(20_000);
    expect(memory.lookUp(owner("big39")).before(call("call_1"))).toEqual(["y".repeat(3000)]);
    expect(memory.lookUp(owner("quiet")).before(call("call_0"))).toBeUndefined();
  });

  it("says of thoughts that take half of an account's room that they were too large", () => {
    const { memory } = start({ bytesOfAccount: 1000 });
    memory.set(owner("a"), call("call_0"), ["y".repeat(600)]);
    expect(memory.lookUp(owner("a")).before(call("call_0"))).toEqual([""]);
  });

  it("forgets after its time, and frees the room although nobody asks", async () => {
    const { memory, time } = start({ milliseconds: 60 });
    memory.set(owner("a"), call("call_0"), ["cw1.x"]);
    time.now += 59;
    expect(memory.lookUp(owner("a")).before(call("call_0"))).toEqual(["cw1.x"]);
    time.now += 1;
    expect(memory.lookUp(owner("a")).before(call("call_0"))).toBeUndefined();
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it("counts the same call once", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), ["one"]);
    const { bytes } = memory;
    memory.set(owner("a"), call("call_0"), ["two"]);
    expect(memory.bytes).toBe(bytes);
    expect(memory.lookUp(owner("a")).before(call("call_0"))).toEqual(["two"]);
  });
});
