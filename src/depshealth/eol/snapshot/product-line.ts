import type { EolCycle, EolProduct, EolDateOrFlag } from "../dataset.ts";

/** `22`, when it was released, long-term support, end of support, end of life, newest release and its day. */
type CycleRow = readonly [
  name: string,
  releasedOn: string | null,
  lts: SinceCell,
  supportEnd: SinceCell | null,
  end: SinceCell,
  latest?: string,
  latestOn?: string | null,
];

/** The day, which beats the flag beside it; without one the flag. */
type SinceCell = string | boolean;

/** A product as a line of the snapshot: JSON, its cycles as rows. */
export function serializeEolSnapshotLine({ cycles, ...product }: EolProduct): string {
  return JSON.stringify({ ...product, cycles: cycles.map(rowOf) });
}

/** The product of a line that `serializeEolSnapshotLine` has made. */
export function parseEolSnapshotLine(line: string): EolProduct {
  const { cycles, ...product } = JSON.parse(line) as Omit<EolProduct, "cycles"> & {
    readonly cycles: readonly CycleRow[];
  };
  return { ...product, cycles: cycles.map(cycleOf) };
}

function rowOf({ name, releasedOn, lts, supportEnd, end, latest }: EolCycle): CycleRow {
  const support = supportEnd === null ? null : cellOf(supportEnd);
  const row = [name, releasedOn, cellOf(lts), support, cellOf(end)] as const;
  return latest === null ? row : [...row, latest.name, latest.releasedOn];
}

function cycleOf([name, releasedOn, lts, supportEnd, end, latest, latestOn]: CycleRow): EolCycle {
  return {
    name,
    releasedOn,
    lts: sinceOf(lts),
    supportEnd: supportEnd === null ? null : sinceOf(supportEnd),
    end: sinceOf(end),
    latest: latest === undefined ? null : { name: latest, releasedOn: latestOn ?? null },
  };
}

function cellOf({ day, flag }: EolDateOrFlag): SinceCell {
  return day ?? flag;
}

function sinceOf(cell: SinceCell): EolDateOrFlag {
  return typeof cell === "string" ? { day: cell, flag: false } : { day: null, flag: cell };
}
