import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { BatchWriter } from "../../../src/platform/database/batch-writer.ts";

const log = pino({ level: "silent" });

describe("BatchWriter", () => {
  it("writes again what could not be written", async () => {
    const written: number[][] = [];
    let isAway = true;
    const write = async (rows: readonly number[]): Promise<void> => {
      if (isAway) throw new Error("away");
      written.push([...rows]);
    };
    const rows = new BatchWriter({ write, log, label: "rows", batchSize: 2, maxPending: 10 });
    for (const row of [1, 2, 3]) rows.add(row);
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
    const rows = new BatchWriter({
      write,
      log: pino({ level: "warn" }, stream),
      label: "rows",
      batchSize: 10,
      maxPending: 3,
    });
    for (const row of [1, 2, 3, 4, 5]) rows.add(row);
    await rows.flush();
    expect(written).toEqual([3, 4, 5]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain(
      "rows: the oldest is lost, because the database does not keep up",
    );
  });
});
