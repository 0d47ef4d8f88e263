import { describe, expect, it, vi } from "vitest";
import {
  MemoryLimitedContentLoader,
  type SealedRow,
} from "../../../src/platform/database/counted-loader.ts";

const context = (hold = (_bytes: number) => () => undefined) => ({
  hold,
  signal: new AbortController().signal,
});
const large = 1024 * 1024;

/** A row of so many bytes. */
function rowOf(bytes: number) {
  return async (maxBytes: number): Promise<SealedRow> => ({
    bytes,
    sealed: bytes <= maxBytes ? "sealed" : null,
  });
}

describe("CountedLoader", () => {
  it("loads small content with one statement, uncounted", async () => {
    const hold = vi.fn<(bytes: number) => () => undefined>();
    const select = vi.fn<(maxBytes: number) => Promise<SealedRow>>(rowOf(1000));
    expect(
      await new MemoryLimitedContentLoader().load("user_1", context(hold), select),
    ).toMatchObject({
      sealed: "sealed",
    });
    expect([select.mock.calls.length, hold.mock.calls.length]).toEqual([1, 0]);
  });

  it("returns a row without content, and no row", async () => {
    const loader = new MemoryLimitedContentLoader();
    const empty = async () => ({ bytes: 0, sealed: null });
    expect(await loader.load("user_1", context(), empty)).toEqual({ bytes: 0, sealed: null });
    expect(await loader.load("user_1", context(), async () => undefined)).toBeUndefined();
  });

  it("counts large content before it is loaded", async () => {
    const select = vi.fn<(maxBytes: number) => Promise<SealedRow>>(rowOf(large));
    const full = () => {
      throw new Error("full");
    };
    const loading = new MemoryLimitedContentLoader().load("user_1", context(full), select);
    await expect(loading).rejects.toThrow("full");
    expect(select).toHaveBeenCalledTimes(1);
  });

  it("counts again when the content has grown", async () => {
    const held: number[] = [];
    const hold = (bytes: number) => {
      held.push(bytes);
      return () => undefined;
    };
    const sizes = [large, 2 * large, 2 * large];
    const select = async (maxBytes: number) => rowOf(sizes.shift() ?? 0)(maxBytes);
    const row = await new MemoryLimitedContentLoader().load("user_1", context(hold), select);
    expect(row).toEqual({ bytes: 2 * large, sealed: "sealed" });
    expect(held).toHaveLength(2);
  });

  it("loads the large content of an account a few at a time, and of others at once", async () => {
    const loader = new MemoryLimitedContentLoader();
    const running = new Map<string, number>();
    const gate = Promise.withResolvers<void>();
    const load = (account: string) =>
      loader.load(account, context(), async (maxBytes) => {
        if (maxBytes < large) return { bytes: large, sealed: null };
        running.set(account, (running.get(account) ?? 0) + 1);
        await gate.promise;
        return { bytes: large, sealed: "sealed" };
      });
    const loads = [...Array.from({ length: 40 }, () => load("user_1")), load("user_2")];
    await vi.waitFor(() => expect(running.get("user_2")).toBe(1));
    expect(running.get("user_1")).toBe(2);
    gate.resolve();
    await Promise.all(loads);
    expect(running.get("user_1")).toBe(40);
  });

  it("loads nothing for a caller that has disconnected", async () => {
    const select = vi.fn<(maxBytes: number) => Promise<SealedRow>>(rowOf(large));
    const gone = { ...context(), signal: AbortSignal.abort() };
    await expect(
      new MemoryLimitedContentLoader().load("user_1", gone, select),
    ).rejects.toMatchObject({
      status: 503,
    });
    expect(select).toHaveBeenCalledTimes(1);
  });
});
