import { join } from "node:path";
import type { Case, CaseContext, CaseOutcome, Contender, Settings } from "./cases/case.ts";
import { startLoadGenerator } from "./load/load-generator.ts";
import { describeMachine, machineLine } from "./report/machine.ts";
import { errorsOf, type Report } from "./report/report.ts";
import { markdown } from "./report/table.ts";
import { planCores } from "./running/cores.ts";
import { residentMemory } from "./running/resident-memory.ts";
import type { ProcessGroup } from "./running/process-group.ts";
import { startMockUpstream } from "./upstream/mock-upstream.ts";
import type { VariantContext, Variant } from "./variants/variant.ts";

/** What a run is made of. */
export interface Plan {
  readonly stage: ProcessGroup;
  /** Where everything that a run writes goes, but for its report. */
  readonly directory: string;
  readonly cases: readonly Case[];
  readonly variants: readonly Variant[];
  readonly settings: Settings;
  readonly say: (text: string) => void;
}

/** Starts upstream, load client and variants, runs the cases one after the other, and reports. */
export async function runBenchmark(plan: Plan): Promise<Report> {
  const startedAt = new Date();
  const machine = describeMachine();
  const cores = planCores();
  const { stage, directory, settings, say } = plan;
  const upstream = await startMockUpstream(stage, directory, cores);
  const ground: VariantContext = { stage, cores, upstream };
  say(conditions(machineLine(machine), ground, settings));
  const absent = absentVariants(plan);
  const context: CaseContext = {
    ground,
    load: await startLoadGenerator(stage, cores?.load),
    contenders: await startContenders(plan, ground),
    settings,
    newDirectory: (name) => join(directory, name),
  };
  const outcomes = await runCases(plan, context);
  return {
    startedAt: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    machine,
    pinned: cores ?? null,
    upstream: upstream.description,
    settings,
    absent,
    errors: errorsOf(outcomes.values()),
    cases: Object.fromEntries([...outcomes].map(([name, { figures }]) => [name, figures])),
  };
}

function conditions(
  machine: string,
  { cores, upstream }: VariantContext,
  settings: Settings,
): string {
  const pinned =
    cores === undefined
      ? "not pinned"
      : `server on core ${cores.server}, load and upstream on ${cores.load}`;
  return [
    `${machine}; ${pinned}; upstream: ${upstream.description}.`,
    `${settings.rounds} rounds of ${settings.requests} requests, ${settings.streams} streams.`,
    "Ratios are medians (least to greatest) of the ratios within a round.",
  ].join("\n");
}

function absentVariants({ variants, say }: Plan): Record<string, string> {
  const absent = variants.flatMap((variant): [string, string][] => {
    const reason = variant.unavailable();
    return reason === undefined ? [] : [[variant.name, reason]];
  });
  for (const [name, reason] of absent) say(`Without ${name}: ${reason}.`);
  return Object.fromEntries(absent);
}

async function startContenders(plan: Plan, ground: VariantContext): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const variant of plan.variants) {
    if (variant.unavailable() !== undefined) continue;
    const directory = join(plan.directory, variant.name);
    const running = await variant.start(ground, directory);
    contenders.push({ variant, running, idleMib: residentMemory(running.pids), calls: 0 });
  }
  return contenders;
}

async function runCases(
  { cases, say }: Plan,
  context: CaseContext,
): Promise<Map<string, CaseOutcome>> {
  const outcomes = new Map<string, CaseOutcome>();
  for (const one of cases) {
    const outcome = await one.run(context);
    outcomes.set(one.name, outcome);
    say(`\n${markdown(outcome.table)}`);
    for (const failure of outcome.failures) say(`Failed: ${failure}`);
  }
  return outcomes;
}
