import { describe, expect, it } from "vitest";
import { LoadShedder } from "../../../src/platform/load/load-shedder.ts";
import { createProcessLoggersOnStream } from "../../../src/platform/log.ts";

interface Watched {
  readonly load: LoadShedder;
  /** Looks at the loop, each with its lateness. */
  readonly look: (...delays: readonly number[]) => void;
  readonly lines: Record<string, unknown>[];
}

function watched(thresholdMs = 500): Watched {
  const lines: Record<string, unknown>[] = [];
  const { log } = createProcessLoggersOnStream(
    { write: (line) => void lines.push(JSON.parse(line)) },
    "info",
  );
  let hear: ((delayMs: number) => void) | undefined;
  const load = new LoadShedder({
    thresholdMs,
    log,
    watchLoop: (listener) => {
      hear = listener;
      return () => {};
    },
  });
  load.start();
  const look = (...delays: readonly number[]): void => delays.forEach((delay) => hear?.(delay));
  return { load, look, lines };
}

const calm = Array.from({ length: 10 }, () => 0);

describe("load", () => {
  it("is shed when three looks in a row find the loop too late", () => {
    const { load, look } = watched();
    load.assertAccepting();
    look(501, 501);
    expect(load.isShedding).toBe(false);
    look(501);
    expect(() => load.assertAccepting()).toThrow(
      expect.objectContaining({ code: "unavailable", status: 503, retryAfterSeconds: 2 }),
    );
  });

  it.each([
    ["one pause, however long", [60_000]],
    ["two pauses in a row", [3000, 3000]],
    ["pauses with looks in time between them", [2000, 2000, 0, 2000, 2000, 30, 2000, 2000]],
    ["lateness that is bearable", Array.from({ length: 50 }, () => 500)],
  ])("is not shed for %s", (_, delays) => {
    const { load, look } = watched();
    for (const delay of delays) {
      look(delay);
      expect(() => load.assertAccepting()).not.toThrow();
    }
  });

  it("is shed until ten looks in a row are calm, so that it does not flap", () => {
    const { load, look } = watched();
    look(600, 600, 600);
    const almost = calm.slice(1);
    look(...almost, 251, ...almost, 501, ...almost);
    expect(load.isShedding).toBe(true);
    look(250);
    expect(() => load.assertAccepting()).not.toThrow();
    look(600, 600);
    expect(load.isShedding).toBe(false);
  });

  it("is never shed where the limit is 0", () => {
    const { load, look } = watched(0);
    look(10_000, 10_000, 10_000, 10_000);
    expect(() => load.assertAccepting()).not.toThrow();
    expect(load.delayMs).toBe(10_000);
  });

  it("is told in the log when shedding begins and when it ends, however much is refused", () => {
    const { load, look, lines } = watched();
    look(600, 700, 812.4);
    for (let call = 0; call < 3; call++) expect(() => load.assertAccepting()).toThrow("overloaded");
    look(900, ...calm, ...calm);
    expect(load.rejected).toBe(3);
    expect(lines).toMatchObject([
      { level: 40, loop_delay_ms: 812, limit_ms: 500 },
      { level: 30, refused: 3 },
    ]);
  });

  it("is not watched any more when the process stops", () => {
    const { log } = createProcessLoggersOnStream({ write: () => {} }, "info");
    let isWatching = false;
    const watchLoop = () => {
      isWatching = true;
      return () => void (isWatching = false);
    };
    const stop = new LoadShedder({ thresholdMs: 500, watchLoop, log }).start();
    expect(isWatching).toBe(true);
    stop();
    expect(isWatching).toBe(false);
  });
});
