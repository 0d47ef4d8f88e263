import { describe, expect, it } from "vitest";
import { BusyThreadCallerQueues } from "../../../src/gateway/agent/thread-lines.ts";

const { signal } = new AbortController();

/** Names of callers, in the order in which they are reached. */
function lineOf(lines: BusyThreadCallerQueues) {
  const reached: string[] = [];
  const join = (name: string, thread: string, gone: AbortSignal = signal) => {
    const place = lines.join(thread, gone);
    void place.reached.then(() => reached.push(name));
    return place;
  };
  return { reached, join };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("ThreadLines", () => {
  it("reaches the callers of a thread one after the other, and those of another at once", async () => {
    const { reached, join } = lineOf(new BusyThreadCallerQueues());
    const one = join("one", "thread_1");
    const two = join("two", "thread_1");
    join("three", "thread_1");
    join("other", "thread_2");
    await settled();
    expect(reached).toEqual(["one", "other"]);
    one.leave();
    one.leave();
    await settled();
    expect(reached).toEqual(["one", "other", "two"]);
    two.leave();
    await settled();
    expect(reached).toEqual(["one", "other", "two", "three"]);
  });

  it("lets a caller leave from the middle, who waits no more", async () => {
    const { reached, join } = lineOf(new BusyThreadCallerQueues());
    const gone = new AbortController();
    const one = join("one", "thread_1");
    join("two", "thread_1", gone.signal);
    join("three", "thread_1");
    gone.abort();
    await settled();
    expect(reached).toEqual(["one", "two"]);
    one.leave();
    await settled();
    expect(reached).toEqual(["one", "two", "three"]);
  });
});
