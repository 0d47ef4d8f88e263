import { describe, expect, it } from "vitest";
import {
  ReasoningCache,
  type ReasoningCacheCaller,
  type ReasoningCacheLimits,
} from "../../../src/gateway/transcode/reasoning-cache.ts";
import { noopMemoryReserver } from "../../../src/platform/hold-memory.ts";

function start(limits: Partial<ReasoningCacheLimits> = {}) {
  const time = { now: 1_000_000 };
  return { time, memory: new ReasoningCache({ now: () => time.now }, limits) };
}

const lookUp = (memory: ReasoningCache, of: ReasoningCacheCaller) =>
  memory.lookUp(of, noopMemoryReserver);

const owner = (name: string, keyId = `key_${name}`) => ({ accountId: `user_${name}`, keyId });
const call = (id: string) => ({ id, name: "weather", arguments: "{}" });

describe("the memory of thoughts", () => {
  it("gives them to the key that they were made for, and to no other", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), ["cw1.x"]);
    expect(lookUp(memory, owner("a")).take(call("call_0"))).toEqual(["cw1.x"]);
    expect(lookUp(memory, owner("a", "key_other")).take(call("call_0"))).toBeUndefined();
    expect(lookUp(memory, owner("b")).take(call("call_0"))).toBeUndefined();
  });

  it("tells a call without thoughts from one that it does not know", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), []);
    expect(lookUp(memory, owner("a")).take(call("call_0"))).toEqual([]);
    expect(lookUp(memory, owner("a")).take(call("call_1"))).toBeUndefined();
  });

  it("is bounded in bytes and entries, of all and of one account; the oldest go first", () => {
    const limits = { entries: 50, entriesOfAccount: 10, bytes: 20_000, bytesOfAccount: 8000 };
    const { memory } = start(limits);
    memory.set(owner("quiet"), call("call_0"), ["cw1.quiet"]);
    for (let at = 0; at < 40; at += 1) memory.set(owner("loud"), call(`call_${at}`), ["x"]);
    const loud = lookUp(memory, owner("loud"));
    const known = Array.from({ length: 40 }, (_none, at) => loud.take(call(`call_${at}`)));
    expect(known.filter((found) => found !== undefined)).toHaveLength(10);
    expect(known.at(-1)).toEqual(["x"]);
    expect(lookUp(memory, owner("quiet")).take(call("call_0"))).toEqual(["cw1.quiet"]);
    for (let at = 0; at < 40; at += 1) {
      memory.set(owner(`big${at}`), call("call_0"), ["y".repeat(3000)]);
      memory.set(owner(`big${at}`), call("call_1"), ["y".repeat(3000)]);
    }
    expect(memory.bytes).toBeLessThanOrEqual(20_000);
    expect(lookUp(memory, owner("big39")).take(call("call_1"))).toEqual(["y".repeat(3000)]);
    expect(lookUp(memory, owner("quiet")).take(call("call_0"))).toBeUndefined();
  });

  it("says of thoughts that take half of an account's room that they were too large", () => {
    const { memory } = start({ bytesOfAccount: 1000 });
    memory.set(owner("a"), call("call_0"), ["y".repeat(600)]);
    expect(lookUp(memory, owner("a")).take(call("call_0"))).toEqual([""]);
  });

  it("forgets after its time, and frees the room although nobody asks", async () => {
    const { memory, time } = start({ milliseconds: 60 });
    memory.set(owner("a"), call("call_0"), ["cw1.x"]);
    time.now += 59;
    expect(lookUp(memory, owner("a")).take(call("call_0"))).toEqual(["cw1.x"]);
    time.now += 1;
    expect(lookUp(memory, owner("a")).take(call("call_0"))).toBeUndefined();
    await expect.poll(() => memory.bytes).toBe(0);
  });

  it("counts the same call once", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), ["one"]);
    const { bytes } = memory;
    memory.set(owner("a"), call("call_0"), ["two"]);
    expect(memory.bytes).toBe(bytes);
    expect(lookUp(memory, owner("a")).take(call("call_0"))).toEqual(["two"]);
  });

  it("gives the reasoning of a call once for each request, and counts its bytes", () => {
    const { memory } = start();
    memory.set(owner("a"), call("call_0"), ["cw1.x"]);
    const counted: number[] = [];
    const hold = (bytes: number) => {
      counted.push(bytes);
      return () => undefined;
    };
    const found = memory.lookUp(owner("a"), hold);
    expect([1, 2].map(() => found.take(call("call_0")))).toEqual([["cw1.x"], undefined]);
    expect(found.has(call("call_0"))).toBe(true);
    expect(counted).toEqual([2 * '["cw1.x"]'.length]);
    expect(memory.lookUp(owner("a"), hold).take(call("call_0"))).toEqual(["cw1.x"]);
  });

  it("does not parse arguments of more values than are parsed", () => {
    const { memory } = start();
    const many = { ...call("call_0"), arguments: `[${" {},".repeat(400_000)}{}]` };
    memory.set(owner("a"), many, ["cw1.x"]);
    const compact = { ...many, arguments: many.arguments.replaceAll(" ", "") };
    expect(lookUp(memory, owner("a")).has(many)).toBe(true);
    expect(lookUp(memory, owner("a")).has(compact)).toBe(false);
  });
});
