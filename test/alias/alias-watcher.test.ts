import { create } from "@bufbuild/protobuf";
import { describe, expect, it, onTestFinished } from "vitest";
import { AliasChangesSchema } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { AliasChangeWatcher } from "../../src/alias/alias-watcher.ts";
import { FakeFeed } from "../support/fake-feed.ts";

const change = { table: "aliases", accountId: "user_1", id: "a" } as never;

/** A watcher of an account whose revision a test writes, and streams that follow it. */
function startWatcher() {
  const feed = new FakeFeed();
  const state = { rev: 1, reads: [] as number[], running: 0, mostRunning: 0 };
  const watcher = new AliasChangeWatcher(feed, async (_accountId, afterRev) => {
    state.reads.push(afterRev);
    state.running += 1;
    state.mostRunning = Math.max(state.mostRunning, state.running);
    const { rev } = state;
    await new Promise((resolve) => setImmediate(resolve));
    state.running -= 1;
    const changes = rev > afterRev ? [{ rev: BigInt(rev), token: `a${rev}` }] : [];
    return create(AliasChangesSchema, { rev: BigInt(rev), changes });
  });
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  return {
    state,
    write: () => {
      state.rev += 1;
      feed.announce(change);
    },
    follow: (afterRev: number) => watcher.follow("user_1", afterRev, leaving.signal),
  };
}

describe("AliasChangeWatcher", () => {
  it("reads once for all streams that a write wakes", async () => {
    const { state, write, follow } = startWatcher();
    const streams = Array.from({ length: 100 }, () => follow(0));
    const first = await Promise.all(streams.map((stream) => stream.next()));
    expect(first.map(({ value }) => value.rev)).toEqual(Array(100).fill(1n));
    expect(state.reads).toEqual([0]);
    const next = streams.map((stream) => stream.next());
    await new Promise((resolve) => setImmediate(resolve));
    write();
    const second = await Promise.all(next);
    expect(second.map(({ value }) => value.changes[0].token)).toEqual(Array(100).fill("a2"));
    expect(state.reads).toEqual([0, 1]);
  });

  it("reads again when a write comes while it reads", async () => {
    const { state, write, follow } = startWatcher();
    const stream = follow(0);
    const first = stream.next();
    while (state.reads.length === 0) await Promise.resolve();
    write();
    const late = follow(0).next();
    expect((await first).value.rev).toBe(1n);
    expect((await late).value.rev).toBe(2n);
    expect((await stream.next()).value.rev).toBe(2n);
    expect(state.reads.slice(0, 2)).toEqual([0, 0]);
  });

  it("reads two revisions of an account at a time, however many its streams are at", async () => {
    const { state, follow } = startWatcher();
    await Promise.all(Array.from({ length: 50 }, (_, index) => follow(index).next()));
    expect(state.reads).toHaveLength(50);
    expect(state.mostRunning).toBe(2);
  });
});
