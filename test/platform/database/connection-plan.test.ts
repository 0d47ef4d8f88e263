import { describe, expect, it } from "vitest";
import { planDatabaseConnections } from "../../../src/platform/database/connection-plan.ts";

/** Of each process, beside its pool. */
const beside = 4;

describe("planDatabaseConnections()", () => {
  it("gives a process alone what it always had", () => {
    expect(planDatabaseConnections(1)).toEqual({ poolSize: 10, maxConnections: 100 });
  });

  it.each([2, 3, 5, 6, 9, 12, 15])(
    "lets %d processes fit into a server of the default size, with some left for others",
    (processes) => {
      const { poolSize, maxConnections } = planDatabaseConnections(processes);
      expect(poolSize).toBeGreaterThanOrEqual(2);
      expect(processes * (poolSize + beside)).toBeLessThanOrEqual(90);
      expect(maxConnections).toBe(100);
    },
  );

  it.each([16, 33, 257])("has the embedded server take more for %d", (processes) => {
    const { poolSize, maxConnections } = planDatabaseConnections(processes);
    expect(poolSize).toBe(2);
    expect(maxConnections).toBe(processes * (2 + beside) + 10);
  });
});
