import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { FollowedTurn } from "../../src/domain/durable-turn.ts";
import { openMemoryReservationScope, noopMemoryReserver } from "../../src/platform/hold-memory.ts";
import { TopicEmitter } from "../../src/platform/topic-emitter.ts";
import { TurnChangeStream } from "../../src/turn/turn-changes.ts";
import { TurnFollowers } from "../../src/turn/turn-followers.ts";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import type { TurnFrameBatch, TurnFramePage } from "../../src/turn/turn-store.ts";
import { waitUntil } from "../support/wait-until.ts";

const id = "turn_1";

/** How the caller that began the turn follows it behind an event. */
const starterAfter = (after: number): FollowedTurn => ({
  accountId: "user_a",
  id,
  after,
  isStarter: true,
  wantsWholeEvents: false,
});

let gone = new AbortController();

afterEach(() => {
  gone.abort();
  gone = new AbortController();
});

/** A turn that another process runs: this one gets notices of its changes, and reads it. */
function startRemoteTurn() {
  const feed = new TopicEmitter();
  const notifier = new InProcessTurnNotifier();
  const batches: TurnFrameBatch[] = [];
  const turn = { hasEnded: false, isDeleted: false, reads: 0 };
  const store = {
    framesAfter: async (_id: string, after: number): Promise<TurnFramePage | undefined> => {
      turn.reads += 1;
      if (turn.isDeleted) return undefined;
      const page = batches.filter(({ first }) => first > after);
      const { hasEnded } = turn;
      // As long as a database takes.
      await nextTurn();
      return { batches: page, hasEnded, hasMore: false };
    },
  };
  const changesOf = (topic: string, signal: AbortSignal) =>
    new TurnChangeStream({ feed, notifier }, topic, false, signal);
  const memory = { held: 0, most: 0 };
  const openMemory = () =>
    openMemoryReservationScope((bytes) => {
      memory.most = Math.max(memory.most, (memory.held += bytes));
      return () => void (memory.held -= bytes);
    });
  const followers = new TurnFollowers({ store, changesOf, openMemory });
  const append = (hasEnded = false, text = ""): void => {
    batches.push({ first: batches.length, frames: [`${batches.length} ${text}`] });
    turn.hasEnded = hasEnded;
    feed.emit(id);
  };
  /** Deletes the turn. */
  const remove = (): void => {
    turn.isDeleted = true;
    feed.emit(id);
  };
  return { followers, turn, append, notifier, memory, remove, batches };
}

async function textOf(
  frames: AsyncIterable<Buffer | string>,
  seen: string[] = [],
): Promise<string> {
  for await (const text of frames) seen.push(text.toString());
  return seen.join("");
}

describe("those who follow a turn that another process runs", () => {
  it("share one reader of its events", async () => {
    const { followers, turn, append } = startRemoteTurn();
    append();
    const all = Array.from({ length: 200 }, () => {
      const seen: string[] = [];
      return { seen, text: textOf(followers.follow(starterAfter(-1), gone.signal), seen) };
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

  it("get new events although the first of them asked for events far beyond the last", async () => {
    const { followers, append } = startRemoteTurn();
    append();
    append();
    const beyond = textOf(followers.follow(starterAfter(1_000_000), gone.signal));
    const late = textOf(followers.follow(starterAfter(1), gone.signal));
    const seen: string[] = [];
    const whole = textOf(followers.follow(starterAfter(-1), gone.signal), seen);
    await waitUntil(() => seen.join("") === "0 1 ");
    append();
    await waitUntil(() => seen.join("") === "0 1 2 ");
    append(true);
    expect(await Promise.all([beyond, late, whole])).toEqual(["", "2 3 ", "0 1 2 3 "]);
  });

  it("keep no place of a caller who was gone before the replay began", async () => {
    const { followers, append } = startRemoteTurn();
    append(true);
    for (let count = 0; count < 300; count += 1) {
      followers.replay("account", id, -1, AbortSignal.abort());
    }
    expect(await textOf(followers.replay("account", id, -1, gone.signal))).toBe("0 ");
  });

  it("read the pages of an account's replays two at a time", async () => {
    const counts = { running: 0, most: 0 };
    const store = {
      framesAfter: async (): Promise<TurnFramePage> => {
        counts.most = Math.max(counts.most, (counts.running += 1));
        await nextTurn();
        counts.running -= 1;
        return { batches: [], hasEnded: true, hasMore: false };
      },
    };
    const sources = { feed: new TopicEmitter(), notifier: new InProcessTurnNotifier() };
    const changesOf = (topic: string, signal: AbortSignal) =>
      new TurnChangeStream(sources, topic, false, signal);
    const openMemory = () => openMemoryReservationScope(noopMemoryReserver);
    const followers = new TurnFollowers({ store, changesOf, openMemory });
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
    const text = textOf(followers.follow(starterAfter(-1), gone.signal), seen);
    await waitUntil(() => seen.length > 0);
    notifier.notify(id, { batches: [{ first: 1, frames: ["1 "] }], hasEnded: false });
    notifier.notify(id, { batches: [{ first: 2, frames: ["2 "] }], hasEnded: true });
    expect(await text).toBe("0 1 2 ");
  });

  it("fail when the turn is deleted", async () => {
    const { followers, append, remove } = startRemoteTurn();
    append();
    const seen: string[] = [];
    const text = textOf(followers.follow(starterAfter(-1), gone.signal), seen);
    await waitUntil(() => seen.length > 0);
    remove();
    await expect(text).rejects.toMatchObject({ code: "not_found" });
  });

  it("get what they lack, wherever they begin", async () => {
    const { followers, append } = startRemoteTurn();
    append();
    const first: string[] = [];
    const whole = textOf(followers.follow(starterAfter(-1), gone.signal), first);
    await waitUntil(() => first.length > 0);
    append();
    append();
    const late = textOf(followers.follow(starterAfter(0), gone.signal));
    await nextTurn();
    append(true);
    expect(await Promise.all([whole, late])).toEqual(["0 1 2 3 ", "1 2 3 "]);
  });

  it("read no more when they are gone", async () => {
    const { followers, turn, append } = startRemoteTurn();
    append();
    const seen: string[] = [];
    const text = textOf(followers.follow(starterAfter(-1), gone.signal), seen);
    await waitUntil(() => seen.length > 0);
    gone.abort();
    await text;
    const { reads } = turn;
    append();
    await nextTurn();
    expect(turn.reads).toBe(reads);
  });
});

describe("the places of followers", () => {
  it("are shared by callers that join a turn and by streams that are taken up again", () => {
    const { followers } = startRemoteTurn();
    const refused = expect.objectContaining({ code: "rate_limited" });
    const first = new AbortController();
    followers.reserve("user_a", id, first.signal);
    for (let open = 1; open < 32; open += 1) followers.reserve("user_a", id, gone.signal);
    expect(() => followers.reserve("user_a", id, gone.signal)).toThrowError(refused);
    expect(() => followers.replay("user_a", id, -1, gone.signal)).toThrowError(refused);
    first.abort();
    expect(() => followers.reserve("user_a", id, gone.signal)).not.toThrow();
  });
});

describe("a reader that decodes events", () => {
  it("gets the pieces of a large batch with whole events, one in each turn of the event loop", async () => {
    const { followers, append, turn, batches } = startRemoteTurn();
    const frames = [200, 200, 400, 1].map((kib) => "x".repeat(kib * 1024));
    batches.push({ first: 0, frames });
    append(true);
    expect(turn.hasEnded).toBe(true);
    const lengths: number[] = [];
    const followed = { ...starterAfter(-1), wantsWholeEvents: true };
    for await (const piece of followers.follow(followed, gone.signal))
      if (typeof piece !== "string") lengths.push(piece.length / 1024);
    expect(lengths).toEqual([400, 400, 1]);
  });
});

describe("the streams that an account takes up again", () => {
  it("are refused with 429 beyond 256 until one is closed, and beyond 32 of one turn", () => {
    const { followers } = startRemoteTurn();
    const replay = (account: string, turn: number, signal = gone.signal) => {
      followers.replay(account, `turn_${turn}`, -1, signal);
    };
    const refused = expect.objectContaining({ code: "rate_limited" });
    const first = new AbortController();
    replay("user_a", 0, first.signal);
    for (let open = 1; open < 32; open += 1) replay("user_a", 0);
    expect(() => replay("user_a", 0)).toThrowError(refused);
    for (let open = 32; open < 256; open += 1) replay("user_a", Math.floor(open / 32));
    expect(() => replay("user_a", 9)).toThrowError(refused);
    replay("user_b", 9);
    first.abort();
    expect(() => replay("user_a", 0)).not.toThrow();
  });

  it("share the bytes of a large batch, which are counted once, and get one piece in each turn of the event loop", async () => {
    const { followers, append, memory } = startRemoteTurn();
    append();
    append(true, "x".repeat(1024 * 1024));
    const buffers = new Set<ArrayBufferLike>();
    const loop = { turns: 0, isRunning: true };
    const countTurns = (): void => {
      loop.turns += 1;
      if (loop.isRunning) setImmediate(countTurns);
    };
    countTurns();
    const pieces: number[] = [];
    const read = async (after: number): Promise<number> => {
      let length = 0;
      for await (const piece of followers.replay("user_a", id, after, gone.signal)) {
        length += piece.length;
        if (typeof piece === "string") continue;
        buffers.add(piece.buffer);
        pieces.push(loop.turns);
      }
      return length;
    };
    const lengths = await Promise.all(Array.from({ length: 20 }, (_, at) => read((at % 2) - 1)));
    loop.isRunning = false;
    const large = 1024 * 1024 + 2;
    expect(lengths).toEqual(Array.from({ length: 20 }, (_, at) => large + (at % 2 === 0 ? 2 : 0)));
    expect(buffers.size).toBe(1);
    expect(new Set(pieces).size).toBe(pieces.length);
    expect(memory).toEqual({ held: 0, most: large });
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
