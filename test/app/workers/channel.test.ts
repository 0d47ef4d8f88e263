import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  WorkerMessageChannel,
  PeerProcessUnreachableError,
  type ProcessMessagePort,
} from "../../../src/app/workers/channel.ts";

/** Two ends that hear each other at once. */
function pair() {
  const ends = [new EventEmitter(), new EventEmitter()] as const;
  const state = { connected: true };
  const port = (own: number): ProcessMessagePort => ({
    get connected() {
      return state.connected;
    },
    send: (message, done) => {
      // As over a pipe: text on the way, heard later.
      const text = JSON.stringify(message);
      queueMicrotask(() => ends[1 - own]?.emit("message", JSON.parse(text)));
      done(null);
    },
    on: (event: string, listener: (message?: unknown) => void) => ends[own]?.on(event, listener),
  });
  return {
    one: new WorkerMessageChannel(port(0)),
    other: new WorkerMessageChannel(port(1)),
    cut: () => {
      state.connected = false;
      for (const end of ends) end.emit("disconnect");
    },
  };
}

describe("Channel", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("tells", async () => {
    const { one, other } = pair();
    const heard = vi.fn<(body: unknown) => void>();
    other.onNotification("news", heard);
    one.notify("news", { at: 1 });
    one.notify("unheard of");
    await vi.advanceTimersByTimeAsync(0);
    expect(heard.mock.calls).toEqual([[{ at: 1 }]]);
  });

  it("keeps what is told before anybody listens", async () => {
    const { one, other } = pair();
    one.notify("news", 1);
    one.notify("news", 2);
    await vi.advanceTimersByTimeAsync(0);
    const heard = vi.fn<(body: unknown) => void>();
    other.onNotification("news", heard);
    one.notify("news", 3);
    await vi.advanceTimersByTimeAsync(0);
    expect(heard.mock.calls).toEqual([[1], [2], [3]]);
  });

  it("answers questions, each with its own answer, whenever it is there", async () => {
    const { one, other } = pair();
    const later = Promise.withResolvers<string>();
    other.onRequest("slow", () => later.promise);
    other.onRequest("double", (number) => Number(number) * 2);
    const slow = one.request("slow", null, 1000);
    const double = one.request("double", 21, 1000);
    expect(await double).toBe(42);
    later.resolve("at last");
    expect(await slow).toBe("at last");
  });

  it("does not wait longer than it was told to, and lets a late answer go", async () => {
    const { one, other } = pair();
    const later = Promise.withResolvers<string>();
    other.onRequest("slow", () => later.promise);
    const asked = failureOf(one.request("slow", null, 50));
    await vi.advanceTimersByTimeAsync(50);
    expect(await asked).toBeInstanceOf(PeerProcessUnreachableError);
    later.resolve("too late");
    await vi.advanceTimersByTimeAsync(0);
    other.onRequest("quick", () => "quick");
    expect(await one.request("quick", null, 50)).toBe("quick");
  });

  it("gives up when the other end goes, or is gone", async () => {
    const { one, other, cut } = pair();
    other.onRequest("never", () => new Promise(() => undefined));
    const asked = failureOf(one.request("never", null, 10_000));
    cut();
    expect(await asked).toBeInstanceOf(PeerProcessUnreachableError);
    await expect(one.request("never", null, 10_000)).rejects.toThrow(PeerProcessUnreachableError);
    one.notify("news");
  });

  it("leaves a question alone whose answer fails", async () => {
    const { one, other } = pair();
    other.onRequest("broken", () => Promise.reject(new Error("broken")));
    const asked = failureOf(one.request("broken", null, 50));
    await vi.advanceTimersByTimeAsync(50);
    expect(await asked).toBeInstanceOf(PeerProcessUnreachableError);
  });
});

function failureOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch((error: unknown) => error);
}
