import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { BatchLog } from "../../../src/platform/database/batch-log.ts";

const log = pino({ level: "silent" });

describe("BatchLog", () => {
  it("writes again what could not be written", async () => {
    const written: number[][] = [];
    let isAway = true;
    const write = async (rows: readonly number[]): Promise<void> => {
      if (isAway) throw new Error("away");
      written.push([...rows]);
    };
    const rows = new BatchLog({ write, log, what: "rows", rowsAtOnce: 2, waitingAtMost: 10 });
    for (const row of [1, 2, 3]) rows.note(row);
    await rows.flush();
    isAway = false;
    await rows.flush();
    expect(written).toEqual([[1, 2], [3]]);
  });

  it("loses the oldest rows, and says so, when the database does not keep up", async () => {
    const warnings: string[] = [];
    const stream = { write: (line: string) => void warnings.push(line) };
    const written: number[] = [];
    const write = async (batch: readonly number[]): Promise<void> => void written.push(...batch);
    const rows = new BatchLog({
      write,
      log: pino({ level: "warn" }, stream),
      what: "rows",
      rowsAtOnce: 10,
      waitingAtMost: 3,
    });
    for (const row of [1, 2, 3, 4, 5]) rows.note(row);
    await rows.flush();
    expect(written).toEqual([3, 4, 5]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain(
      "rows: the oldest is lost, because the database does not keep up",
    );
  });
});
