import type { Table } from "../../bench/report/table.ts";
import { memorySlope, type Sample } from "../process-samples.ts";

/** What one process held in its life. */
export interface ProcessResources {
  /** Before its first caller, and after its last one has gone. */
  readonly start: Sample;
  readonly end: Sample;
  /** While it served. */
  readonly samples: readonly Sample[];
}

/** Memory settles for so long, or a third of a short life. */
const warmUpMs = 5 * 60_000;

/** A slope over less says nothing. */
const leastMs = 10 * 60_000;

/** A heap of some hundred megabytes swings by more in minutes; a leak of a kilobyte a call is far more. */
const mostMibPerHour = 96;

/** What the pools of an idle server keep open beside what it began with. */
const mostMoreHandles = 16;

/** What is promised of memory, handles and sockets and was not kept, in words. */
export function brokenBounds({ start, end, samples }: ProcessResources): string[] {
  const { slope, milliseconds } = slopeOf(samples);
  const broken: string[] = [];
  if (milliseconds >= leastMs && (slope ?? 0) > mostMibPerHour)
    broken.push(`the memory grew by ${slope?.toFixed(1)} MiB an hour`);
  for (const what of ["handles", "sockets"] as const) {
    const more = (end[what] ?? 0) - (start[what] ?? 0);
    if (more > mostMoreHandles) broken.push(`${more} more ${what} are open than before the calls`);
  }
  return broken;
}

function slopeOf(samples: readonly Sample[]) {
  const [from = 0, to = 0] = [samples[0]?.at, samples.at(-1)?.at];
  const warm = samples.filter(({ at }) => at - from >= Math.min(warmUpMs, (to - from) / 3));
  return { slope: memorySlope(warm), milliseconds: to - (warm[0]?.at ?? to), warm };
}

/** The same as a table. */
export function tableOfProcess({ start, end, samples }: ProcessResources): Table {
  const { slope, milliseconds, warm } = slopeOf(samples);
  const shown = (figure: number | undefined, digits = 0) => figure?.toFixed(digits) ?? "unknown";
  return {
    title: "What the process held",
    note:
      "Of the process that was started after the kill. The slope is the least-squares line through " +
      `the resident memory every two seconds of the last ${Math.round(milliseconds / 60_000)} minutes under load.`,
    columns: [
      "What",
      "Before the calls",
      "First of these minutes",
      "Last of these minutes",
      "Idle again",
    ],
    rows: [
      [
        "resident memory, MiB",
        shown(start.residentMib),
        shown(warm[0]?.residentMib),
        shown(warm.at(-1)?.residentMib),
        shown(end.residentMib),
      ],
      ["memory slope, MiB an hour", "", "", shown(slope, 1), ""],
      ...(["handles", "sockets"] as const).map((what) => [
        what,
        shown(start[what]),
        shown(warm[0]?.[what]),
        shown(warm.at(-1)?.[what]),
        shown(end[what]),
      ]),
    ],
  };
}
