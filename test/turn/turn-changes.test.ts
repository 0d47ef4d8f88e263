import { afterEach, describe, expect, it } from "vitest";
import { TopicListeners } from "../../src/platform/topic-listeners.ts";
import { TurnChanges } from "../../src/turn/turn-changes.ts";
import { TurnNews } from "../../src/turn/turn-news.ts";

const id = "turn_1";
const soonMs = 20;
const longMs = 60_000;
const end = new AbortController();
const open: TurnChanges[] = [];

afterEach(() => {
  for (const changes of open.splice(0)) changes.close();
});

function follow(isHere = false) {
  const sources = { feed: new TopicListeners(), news: new TurnNews() };
  const changes = new TurnChanges(sources, id, isHere, end.signal);
  open.push(changes);
  const keep = (first: number, hasEnded = false) =>
    sources.news.tell(id, { batches: [{ first, frames: [`frame ${first}`] }], hasEnded });
  return { ...sources, changes, keep };
}

describe("changes of a turn", () => {
  it("come with their frames where the turn runs, in their order, and the last says that it is", async () => {
    const { changes, keep } = follow();
    keep(0);
    keep(1, true);
    await changes.next(longMs);
    const told = changes.takeBehind(-1);
    expect(told?.batches.map(({ first }) => first)).toEqual([0, 1]);
    expect(told?.hasEnded).toBe(true);
    expect(changes.takeBehind(1)).toBeUndefined();
  });

  it("leave out what the follower has", () => {
    const { changes, keep } = follow();
    for (const first of [0, 1, 2]) keep(first);
    expect(changes.takeBehind(1)?.batches.map(({ first }) => first)).toEqual([2]);
  });

  it("are not told in part: who reads too slowly is to look for itself", () => {
    const { changes, keep } = follow();
    for (let first = 0; first < 100; first += 1) keep(first);
    expect(changes.takeBehind(-1)).toBeUndefined();
  });

  it("wait for the feed where the turn runs elsewhere", async () => {
    const { changes, feed } = follow();
    changes.reset();
    const next = changes.next(longMs);
    feed.tell(id);
    await next;
    expect(changes.takeBehind(-1)).toBeUndefined();
  });

  it("do not wait for the feed where it runs here, until nothing has come for so long", async () => {
    const { changes, feed } = follow(true);
    changes.reset();
    let isOver = false;
    const next = changes.next(soonMs).then(() => (isOver = true));
    feed.tell(id);
    await Promise.resolve();
    expect(isOver).toBe(false);
    await next;
    // From now on it may run elsewhere.
    changes.reset();
    const second = changes.next(longMs);
    feed.tell(id);
    await second;
  });

  it("end with their follower", async () => {
    const gone = new AbortController();
    const sources = { feed: new TopicListeners(), news: new TurnNews() };
    const changes = new TurnChanges(sources, id, false, gone.signal);
    open.push(changes);
    const next = changes.next(longMs);
    gone.abort();
    await next;
    expect(gone.signal.aborted).toBe(true);
  });
});
