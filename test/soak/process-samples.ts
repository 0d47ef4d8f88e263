import { readdirSync, readlinkSync } from "node:fs";
import { residentMemory } from "../bench/running/resident-memory.ts";

/** What a process holds at one time. Undefined where the system does not tell. */
export interface Sample {
  /** Milliseconds of the wall clock. */
  readonly at: number;
  readonly residentMib: number | undefined;
  /** Open files, sockets included. */
  readonly handles: number | undefined;
  readonly sockets: number | undefined;
}

/** Looks at a process now. */
export function sampleProcess(pid: number): Sample {
  const links = openFiles(pid);
  return {
    at: Date.now(),
    residentMib: residentMemory([pid]),
    handles: links?.length,
    sockets: links?.filter((link) => link.startsWith("socket:")).length,
  };
}

function openFiles(pid: number): readonly string[] | undefined {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).map((name) => linkOf(`${directory}/${name}`));
  } catch {
    return undefined;
  }
}

/** One that was closed meanwhile leads nowhere. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

const hourMs = 3_600_000;

/** Growth of the resident memory in MiB an hour, by least squares; undefined with fewer than two figures. */
export function memorySlope(samples: readonly Sample[]): number | undefined {
  const points = samples.flatMap(({ at, residentMib }) =>
    residentMib === undefined ? [] : [{ x: at / hourMs, y: residentMib }],
  );
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  if (points.length < 2 || spread === 0) return undefined;
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
}
