import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { TopicEmitter } from "../../src/platform/topic-emitter.ts";
import { TurnChangeStream } from "../../src/turn/turn-changes.ts";
import { TurnFollowers } from "../../src/turn/turn-followers.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import type { FrameBatch, FramePage } from "../../src/turn/turn-store.ts";
import { waitUntil } from "../support/wait-until.ts";

const id = "turn_1";
let gone = new AbortController();

afterEach(() => {
  gone.abort();
  gone = new AbortController();
});

/** A turn that another process runs: this one gets notices of its changes, and reads it. */
function startRemoteTurn() {
  const feed = new TopicEmitter();
  const notifier = new InProcessTurnNotifier();
  const batches: FrameBatch[] = [];
  const turn = { hasEnded: false, reads: 0 };
  const store = {
    framesAfter: async (_id: string, after: number): Promise<FramePage> => {
      turn.reads += 1;
      const page = batches.filter(({ first }) => first > after);
      const { hasEnded } = turn;
      // As long as a database takes.
      await nextTurn();
      return { batches: page, hasEnded, hasMore: false };
    },
  };
  const changesOf = (topic: string, signal: AbortSignal) =>
    new TurnChangeStream({ feed, notifier }, topic, false, signal);
  const followers = new TurnFollowers({ store, changesOf });
  const append = (hasEnded = false): void => {
    batches.push({ first: batches.length, frames: [`${batches.length} `] });
    turn.hasEnded = hasEnded;
    feed.emit(id);
  };
  return { followers, turn, append, notifier };
}

async function textOf(frames: AsyncIterable<string>, seen: string[] = []): Promise<string> {
  for await (const text of frames) seen.push(text);
  return seen.join("");
}

describe("those who follow a turn that another process runs", () => {
  it("share one reader of its events", async () => {
    const { followers, turn, append } = startRemoteTurn();
    append();
    const all = Array.from({ length: 200 }, () => {
      const seen: string[] = [];
      return { seen, text: textOf(followers.follow(id, -1, gone.signal), seen) };
    });
    for (let batch = 1; batch < 20; batch += 1) {
      // oxlint-disable-next-line no-await-in-loop
      await waitUntil(() => all.every(({ seen }) => seen.join("").endsWith(`${batch - 1} `)));
      append(batch === 19);
    }
    const texts = new Set(await Promise.all(all.map(({ text }) => text)));
    expect([...texts]).toEqual([Array.from({ length: 20 }, (_, batch) => `${batch} `).join("")]);
    // Each change is read once; the first page and the end once more.
    expect(turn.reads).toBeLessThanOrEqual(20 + 4);
  });

  it("read the pages of an account's replays two at a time", async () => {
    const counts = { running: 0, most: 0 };
    const store = {
      framesAfter: async (): Promise<FramePage> => {
        counts.most = Math.max(counts.most, (counts.running += 1));
        await nextTurn();
        counts.running -= 1;
        return { batches: [], hasEnded: true, hasMore: false };
      },
    };
    const sources = { feed: new TopicEmitter(), notifier: new InProcessTurnNotifier() };
    const changesOf = (topic: string, signal: AbortSignal) =>
      new TurnChangeStream(sources, topic, false, signal);
    const followers = new TurnFollowers({ store, changesOf });
    const replays = Array.from({ length: 40 }, (_, index) =>
      textOf(followers.replay("user_1", `turn_${index % 4}`, index, gone.signal)),
    );
    await Promise.all(replays);
    expect(counts.most).toBe(2);
  });

  it("end with the turn when its last events come with others", async () => {
    const { followers, append, notifier } = startRemoteTurn();
    append();
    const seen: string[] = [];
    const text = textOf(followers.follow(id, -1, gone.signal), seen);
    await waitUntil(() => seen.length > 0);
    notifier.notify(id, { batches: [{ first: 1, frames: ["1 "] }], hasEnded: false });
    notifier.notify(id, { batches: [{ first: 2, frames: ["2 "] }], hasEnded: true });
    expect(await text).toBe("0 1 2 ");
  });

  it("get what they lack, wherever they begin", async () => {
    const { followers, append } = startRemoteTurn();
    append();
    const first: string[] = [];
    const whole = textOf(followers.follow(id, -1, gone.signal), first);
    await waitUntil(() => first.length > 0);
    append();
    append();
    const late = textOf(followers.follow(id, 0, gone.signal));
    await nextTurn();
    append(true);
    expect(await Promise.all([whole, late])).toEqual(["0 1 2 3 ", "1 2 3 "]);
  });

  it("read no more when they are gone", async () => {
    const { followers, turn, append } = startRemoteTurn();
    append();
    const seen: string[] = [];
    const text = textOf(followers.follow(id, -1, gone.signal), seen);
    await waitUntil(() => seen.length > 0);
    gone.abort();
    await text;
    const { reads } = turn;
    append();
    await nextTurn();
    expect(turn.reads).toBe(reads);
  });
});

describe("the streams that an account takes up again", () => {
  it("are refused with 429 beyond 1000 until one is closed", async () => {
    const { followers } = startRemoteTurn();
    const first = new AbortController();
    followers.replay("user_a", id, -1, first.signal);
    for (let open = 1; open < 1000; open += 1) followers.replay("user_a", id, -1, gone.signal);
    const replay = () => followers.replay("user_a", id, -1, gone.signal);
    expect(replay).toThrowError(expect.objectContaining({ code: "rate_limited" }));
    followers.replay("user_b", id, -1, gone.signal);
    first.abort();
    expect(replay).not.toThrow();
  });

  it("free their places when they end", async () => {
    const { followers, append } = startRemoteTurn();
    append(true);
    for (let replayed = 0; replayed < 1100; replayed += 1) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await textOf(followers.replay("user_a", id, -1, gone.signal))).toBe("0 ");
    }
  });
});
