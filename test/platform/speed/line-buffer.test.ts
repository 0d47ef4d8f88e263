import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LogLineBuffer } from "../../../src/platform/speed/line-buffer.ts";

function sinkOf() {
  const texts: string[] = [];
  return {
    texts,
    flushed: 0,
    write: (bytes: Buffer) => void texts.push(bytes.toString()),
    flush: (done: (error?: Error | null) => void) => done(),
    flushSync: () => undefined,
    drained: (): void => undefined,
    on(_event: "drain", listener: () => void) {
      this.drained = listener;
    },
  };
}

describe("LineBuffer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("passes lines on together, after a tenth of a second", () => {
    const sink = sinkOf();
    const lines = new LogLineBuffer(sink);
    lines.write("a\n");
    lines.write("b\n");
    expect(sink.texts).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(sink.texts).toEqual(["a\nb\n"]);
  });

  it("does not wait when there is much", () => {
    const sink = sinkOf();
    const lines = new LogLineBuffer(sink);
    lines.write("x".repeat(100_000));
    expect(sink.texts).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(sink.texts).toHaveLength(1);
  });

  it("passes everything on when it is flushed", () => {
    const sink = sinkOf();
    const lines = new LogLineBuffer(sink);
    const done = vi.fn<() => void>();
    lines.write("a\n");
    lines.flush(done);
    expect(sink.texts).toEqual(["a\n"]);
    expect(done).toHaveBeenCalledOnce();
  });

  it("keeps each chunk below a size, so that lines of several processes do not mix", () => {
    const sink = sinkOf();
    const lines = new LogLineBuffer(sink, 10);
    for (const line of ["aaaa\n", "bbbb\n", "cccc\n", "a line of its own\n"]) lines.write(line);
    lines.flush();
    expect(sink.texts).toEqual(["aaaa\nbbbb\n", "cccc\n", "a line of its own\n"]);
  });

  it("leaves bytes alone until they are written", () => {
    const slabs = new Set<ArrayBufferLike>();
    const texts: string[] = [];
    const waiting: Buffer[] = [];
    const sink = {
      ...sinkOf(),
      write: (bytes: Buffer) => void waiting.push(bytes),
      on: (_event: "drain", listener: () => void) => void (written = listener),
    };
    let written = (): void => undefined;
    const lines = new LogLineBuffer(sink);
    for (let number = 0; number < 200; number++) {
      lines.write(`${number} ${"é".repeat(5000)}\n`);
      if (number % 37 !== 0) continue;
      for (const bytes of waiting.splice(0)) {
        slabs.add(bytes.buffer);
        texts.push(bytes.toString());
      }
      written();
    }
    lines.flush();
    const numbers = [...texts, ...waiting.map(String)].join("").match(/^\d+/gm)?.map(Number);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, number) => number));
    expect(slabs.size).toBeLessThan(25);
  });
});
