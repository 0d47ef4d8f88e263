import { figure } from "../report/figure.ts";
import { tableOf } from "../report/table.ts";
import { residentMemory } from "../running/resident-memory.ts";
import type { Case } from "./case.ts";

/** Resident memory of the servers after the cases before this one, without the database. */
export const memory: Case = {
  name: "memory",
  run: async ({ contenders }) => {
    const rows = contenders.map(({ variant, running, idleMib, calls }) => ({
      variant: variant.name,
      calls,
      idleMib,
      afterMib: residentMemory(running.pids),
    }));
    return {
      errors: 0,
      failures: [],
      figures: { title: "memory", variants: rows },
      table: tableOf(
        "resident memory",
        "After the cases above, without the database. Goal: at most 220 MiB.",
        [
          { heading: "variant", cell: (row) => row.variant },
          { heading: "when ready MiB", cell: (row) => figure(row.idleMib, 0) },
          { heading: "after the run MiB", cell: (row) => figure(row.afterMib, 0) },
          { heading: "calls", cell: (row) => String(row.calls) },
        ],
        rows,
      ),
    };
  },
};
