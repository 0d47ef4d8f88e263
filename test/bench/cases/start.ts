import { figure } from "../report/figure.ts";
import { tableOf } from "../report/table.ts";
import { median } from "../statistics.ts";
import type { Variant } from "../variants/variant.ts";
import type { Case, CaseContext } from "./case.ts";

const mostRounds = 3;

/** Time from the start of the process until it serves: in an empty directory, and again there. */
export const start: Case = {
  name: "start",
  async run(context) {
    const rows = [];
    for (const { variant } of context.contenders) rows.push(await startsOf(variant, context));
    return {
      errors: 0,
      failures: [],
      figures: { title: "start", variants: rows },
      table: tableOf(
        "start to ready",
        "Median. Goal: below 3 s the first time, with a new database, and 1.5 s later.",
        [
          { heading: "variant", cell: (row) => row.variant },
          { heading: "first ms", cell: (row) => figure(median(row.firstMs), 0) },
          { heading: "later ms", cell: (row) => figure(median(row.laterMs), 0) },
        ],
        rows,
      ),
    };
  },
};

interface Starts {
  readonly variant: string;
  readonly firstMs: number[];
  readonly laterMs: number[];
}

async function startsOf(variant: Variant, context: CaseContext): Promise<Starts> {
  const starts: Starts = { variant: variant.name, firstMs: [], laterMs: [] };
  const rounds = Math.min(mostRounds, context.settings.rounds);
  for (let round = 0; round < rounds; round++) {
    const directory = context.newDirectory(`start-${variant.name}-${round}`);
    starts.firstMs.push(await startOnce(variant, context, directory));
    starts.laterMs.push(await startOnce(variant, context, directory));
  }
  return starts;
}

async function startOnce(
  variant: Variant,
  { ground }: CaseContext,
  directory: string,
): Promise<number> {
  const running = await variant.start(ground, directory);
  await running.stop();
  return running.readyMs;
}
