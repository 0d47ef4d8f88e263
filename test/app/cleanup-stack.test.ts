import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { CleanupStack } from "../../src/app/cleanup-stack.ts";

/** Three things that say when they are closed; the middle one fails. */
function closersWithFailure() {
  const closed: string[] = [];
  const closers = new CleanupStack();
  closers.add(async () => void closed.push("first"));
  closers.add(async () => {
    closed.push("second");
    throw new Error("stuck");
  });
  closers.add(async () => void closed.push("third"));
  return { closers, closed };
}

describe("Closers", () => {
  it("closes in the reverse order, everything although one fails, and tells the failure", async () => {
    const { closers, closed } = closersWithFailure();
    await expect(closers.closeAll()).rejects.toThrow("stuck");
    expect(closed).toEqual(["third", "second", "first"]);
  });

  it("closes each thing once", async () => {
    const { closers, closed } = closersWithFailure();
    await closers.closeAll().catch(() => undefined);
    await closers.closeAll();
    expect(closed).toHaveLength(3);
  });

  it("logs a failure where another one is to be told", async () => {
    const { closers, closed } = closersWithFailure();
    const lines: string[] = [];
    await closers.closeAfterFailure(pino({}, { write: (line: string) => void lines.push(line) }));
    expect(closed).toHaveLength(3);
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(["stuck"]);
  });
});
