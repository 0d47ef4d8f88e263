import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GatheredLines } from "../../src/platform/gathered-lines.ts";

function sinkOf() {
  const texts: string[] = [];
  return {
    texts,
    flushed: 0,
    write: (bytes: Buffer) => void texts.push(bytes.toString()),
    flush: (done: (error?: Error | null) => void) => done(),
    flushSync: () => undefined,
  };
}

describe("GatheredLines", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("passes lines on together, after a tenth of a second", () => {
    const sink = sinkOf();
    const lines = new GatheredLines(sink);
    lines.write("a\n");
    lines.write("b\n");
    expect(sink.texts).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(sink.texts).toEqual(["a\nb\n"]);
  });

  it("does not wait when there is much", () => {
    const sink = sinkOf();
    const lines = new GatheredLines(sink);
    lines.write("x".repeat(100_000));
    expect(sink.texts).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(sink.texts).toHaveLength(1);
  });

  it("passes everything on when it is flushed", () => {
    const sink = sinkOf();
    const lines = new GatheredLines(sink);
    const done = vi.fn<() => void>();
    lines.write("a\n");
    lines.flush(done);
    expect(sink.texts).toEqual(["a\n"]);
    expect(done).toHaveBeenCalledOnce();
  });

  it("keeps each chunk below a size, so that lines of several processes do not mix", () => {
    const sink = sinkOf();
    const lines = new GatheredLines(sink, 10);
    for (const line of ["aaaa\n", "bbbb\n", "cccc\n", "a line of its own\n"]) lines.write(line);
    lines.flush();
    expect(sink.texts).toEqual(["aaaa\nbbbb\n", "cccc\n", "a line of its own\n"]);
  });
});
