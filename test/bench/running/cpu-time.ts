import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in /proc, fixed by Linux's binary interface. */
const ticksPerSecond = 100;

/**
 * User and system time of all threads of some processes so far, in
 * microseconds. Undefined where /proc does not tell it, or a process is gone.
 */
export function cpuTime(pids: readonly number[]): number | undefined {
  if (pids.length === 0) return undefined;
  try {
    return pids.reduce((sum, pid) => sum + (timeOfThreads(pid) ?? timeInTicks(pid)), 0);
  } catch {
    return undefined;
  }
}

/** Nanoseconds on a core, from the scheduler; undefined on kernels that do not keep them. */
function timeOfThreads(pid: number): number | undefined {
  const threads = `/proc/${pid}/task`;
  let nanoseconds = 0;
  for (const thread of readdirSync(threads)) {
    const text = readOrUndefined(`${threads}/${thread}/schedstat`);
    if (text === undefined) return undefined;
    nanoseconds += Number(text.split(" ")[0]);
  }
  return nanoseconds / 1000;
}

/** The same in steps of 10 ms: fields 14 and 15 of /proc/<pid>/stat. */
function timeInTicks(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
