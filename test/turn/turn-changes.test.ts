import { afterEach, describe, expect, it } from "vitest";
import { TopicEmitter } from "../../src/platform/topic-emitter.ts";
import { TurnChangeStream } from "../../src/turn/turn-changes.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";

const id = "turn_1";
const soonMs = 20;
const longMs = 60_000;
const end = new AbortController();
const open: TurnChangeStream[] = [];

afterEach(() => {
  for (const changes of open.splice(0)) changes.close();
});

function follow(isHere = false) {
  const sources = { feed: new TopicEmitter(), notifier: new InProcessTurnNotifier() };
  const changes = new TurnChangeStream(sources, id, isHere, end.signal);
  open.push(changes);
  const keep = (first: number, hasEnded = false) =>
    sources.notifier.notify(id, { batches: [{ first, frames: [`frame ${first}`] }], hasEnded });
  return { ...sources, changes, keep };
}

describe("changes of a turn", () => {
  it("come with their frames where the turn runs, in their order, and the last says that it is", async () => {
    const { changes, keep } = follow();
    keep(0);
    keep(1, true);
    await changes.next(longMs);
    const told = changes.takeAfter(-1);
    expect(told?.batches.map(({ first }) => first)).toEqual([0, 1]);
    expect(told?.hasEnded).toBe(true);
    expect(changes.takeAfter(1)).toBeUndefined();
  });

  it("leave out what the follower has", () => {
    const { changes, keep } = follow();
    for (const first of [0, 1, 2]) keep(first);
    expect(changes.takeAfter(1)?.batches.map(({ first }) => first)).toEqual([2]);
  });

  it("are not told in part: who reads too slowly is to look for itself", () => {
    const { changes, keep } = follow();
    for (let first = 0; first < 100; first += 1) keep(first);
    expect(changes.takeAfter(-1)).toBeUndefined();
  });

  it("are not held beyond a size: who reads too slowly is to look for itself", () => {
    const { changes, notifier } = follow();
    const large = "x".repeat(400_000);
    for (const first of [0, 1, 2, 3]) {
      notifier.notify(id, { batches: [{ first, frames: [large] }], hasEnded: false });
    }
    expect(changes.takeAfter(-1)).toBeUndefined();
    notifier.notify(id, { batches: [{ first: 4, frames: [large.repeat(3)] }], hasEnded: true });
    expect(changes.takeAfter(3)).toBeUndefined();
    notifier.notify(id, { batches: [{ first: 5, frames: [large] }], hasEnded: true });
    expect(changes.takeAfter(4)?.batches.map(({ first }) => first)).toEqual([5]);
  });

  it("wait for the feed where the turn runs elsewhere", async () => {
    const { changes, feed } = follow();
    changes.reset();
    const next = changes.next(longMs);
    feed.emit(id);
    await next;
    expect(changes.takeAfter(-1)).toBeUndefined();
  });

  it("do not wait for the feed where it runs here, until nothing has come for so long", async () => {
    const { changes, feed } = follow(true);
    changes.reset();
    let isOver = false;
    const next = changes.next(soonMs).then(() => (isOver = true));
    feed.emit(id);
    await Promise.resolve();
    expect(isOver).toBe(false);
    await next;
    // From now on it may run elsewhere.
    changes.reset();
    const second = changes.next(longMs);
    feed.emit(id);
    await second;
  });

  it("end with their follower", async () => {
    const gone = new AbortController();
    const sources = { feed: new TopicEmitter(), notifier: new InProcessTurnNotifier() };
    const changes = new TurnChangeStream(sources, id, false, gone.signal);
    open.push(changes);
    const next = changes.next(longMs);
    gone.abort();
    await next;
    expect(gone.signal.aborted).toBe(true);
  });
});
