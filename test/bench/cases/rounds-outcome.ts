import { figure, spreadFigure } from "../report/figure.ts";
import { tableOf, type Column } from "../report/table.ts";
import {
  pairedDifference,
  pairedRatio,
  present,
  spread,
  type Series,
  type Spread,
} from "../statistics.ts";
import type { CaseOutcome } from "./case.ts";
import type { RoundsDefinition, TurnResult, VariantRounds } from "./rounds-definition.ts";

/** What a case in rounds tells about one variant. */
export interface VariantFigures {
  readonly variant: string;
  readonly description: string;
  readonly errors: number;
  readonly firstError: string | undefined;
  readonly stalls: number;
  /** User and system time per unit. */
  readonly cpuMicroseconds: Spread | undefined;
  /** The database's, beside that. */
  readonly databaseMicroseconds: Spread | undefined;
  readonly cpuToNginx: Spread | undefined;
  readonly cpuToBare: Spread | undefined;
  readonly p50Ms: Spread | undefined;
  readonly p99Ms: Spread | undefined;
  /** What the server adds to the p50 and p99 of calling the upstream directly. */
  readonly addedP50Ms: Spread | undefined;
  readonly addedP99Ms: Spread | undefined;
  readonly addedP50ToNginx: Spread | undefined;
  readonly unitsPerSecond: Spread | undefined;
  /** Everything measured, round by round. */
  readonly rounds: readonly TurnResult[];
}

/** Compares the variants of a case round by round. */
export function roundsOutcome(
  definition: RoundsDefinition,
  variants: readonly VariantRounds[],
): CaseOutcome {
  const seriesOf = (name: string, take: Take) =>
    (variants.find((variant) => variant.name === name)?.results ?? []).map(take);
  const rows = variants.map((variant) => figuresOf(definition, variant, seriesOf));
  const { title, goal } = definition;
  return {
    errors: rows.reduce((sum, row) => sum + row.errors, 0),
    failures: rows.flatMap((row) =>
      row.firstError === undefined ? [] : `${row.variant}: ${row.firstError}`,
    ),
    figures: { title, goal, unit: definition.unit, latency: definition.latency, variants: rows },
    table: tableOf(title, note(goal, variants), columnsOf(definition), rows),
  };
}

function note(goal: string, variants: readonly VariantRounds[]): string {
  const rounds = Math.max(0, ...variants.map(({ results }) => results.length));
  return `${rounds} rounds. Goal: ${goal}.`;
}

type Take = (result: TurnResult) => number | undefined;

function figuresOf(
  definition: RoundsDefinition,
  variant: VariantRounds,
  seriesOf: (name: string, take: Take) => Series,
): VariantFigures {
  const own = (take: Take) => variant.results.map(take);
  const added = (name: string, take: Take) =>
    pairedDifference(seriesOf(name, take), seriesOf("direct", take));
  const cpu: Take = definition.unit === undefined ? () => undefined : cpuPerUnit;
  const isServer = variant.name !== "direct";
  const all = [...variant.warmUps, ...variant.results];
  return {
    variant: variant.name,
    description: variant.description,
    errors: all.reduce((sum, result) => sum + result.errors, 0),
    firstError: all.find((result) => result.firstError !== undefined)?.firstError,
    stalls: variant.results.reduce((sum, result) => sum + result.stalls, 0),
    cpuMicroseconds: spread(present(own(cpu))),
    databaseMicroseconds: spread(present(own(databasePerUnit))),
    cpuToNginx: pairedRatio(own(cpu), seriesOf("nginx", cpu)),
    cpuToBare: pairedRatio(own(cpu), seriesOf("bare", cpu)),
    p50Ms: spread(present(own(p50))),
    p99Ms: spread(present(own(p99))),
    addedP50Ms: isServer ? spread(present(added(variant.name, p50))) : undefined,
    addedP99Ms: isServer ? spread(present(added(variant.name, p99))) : undefined,
    addedP50ToNginx:
      isServer && definition.added === "ratio"
        ? pairedRatio(added(variant.name, p50), added("nginx", p50))
        : undefined,
    unitsPerSecond: spread(present(own(unitsPerSecond))),
    rounds: variant.results,
  };
}

const cpuPerUnit: Take = ({ cpuMicroseconds, units }) =>
  cpuMicroseconds === undefined || units === 0 ? undefined : cpuMicroseconds / units;
const databasePerUnit: Take = ({ databaseMicroseconds, units }) =>
  databaseMicroseconds === undefined || units === 0 ? undefined : databaseMicroseconds / units;
const p50: Take = (result) => result.p50Ms;
const p99: Take = (result) => result.p99Ms;
const unitsPerSecond: Take = ({ units, elapsedMs }) =>
  elapsedMs === 0 ? undefined : (units * 1000) / elapsedMs;

function columnsOf(definition: RoundsDefinition): Column<VariantFigures>[] {
  const { unit, latency } = definition;
  return [
    { heading: "variant", cell: (row) => `${row.variant}: ${row.description}` },
    { heading: `CPU us/${unit}`, cell: (row) => figure(row.cpuMicroseconds?.median, 1) },
    { heading: `database us/${unit}`, cell: (row) => figure(row.databaseMicroseconds?.median, 1) },
    { heading: "x nginx", cell: (row) => spreadFigure(row.cpuToNginx, 2) },
    { heading: "x bare", cell: (row) => spreadFigure(row.cpuToBare, 2) },
    { heading: `${latency} p50 ms`, cell: (row) => figure(row.p50Ms?.median, 2) },
    { heading: "p99 ms", cell: (row) => figure(row.p99Ms?.median, 2) },
    { heading: "added p50 ms", cell: (row) => figure(row.addedP50Ms?.median, 2) },
    { heading: "added p99 ms", cell: (row) => figure(row.addedP99Ms?.median, 2) },
    { heading: "added p50 x nginx", cell: (row) => spreadFigure(row.addedP50ToNginx, 2) },
    { heading: "stalls", cell: (row) => (unit === "token" ? String(row.stalls) : "") },
    { heading: "errors", cell: (row) => String(row.errors) },
  ];
}
