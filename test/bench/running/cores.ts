import { readFileSync } from "node:fs";
import { findOnPath } from "./find-on-path.ts";

/** The cores that processes are pinned to, as `taskset -c` takes them. */
export interface Cores {
  /** The server under test. */
  readonly server: string;
  /** Load client and mock upstream. */
  readonly load: string;
}

/**
 * The first allowed core for the server and the rest for the load. Undefined,
 * with processes left to the scheduler, without `taskset` or with one core.
 */
export function planCores(): Cores | undefined {
  const [server, ...load] = allowedCores();
  if (server === undefined || load.length === 0) return undefined;
  if (findOnPath("taskset") === undefined) return undefined;
  return { server: String(server), load: load.join(",") };
}

function allowedCores(): number[] {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    return parseCoreList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? "");
  } catch {
    return [];
  }
}

/** The cores of a list as the kernel writes it: `0-2,5` is 0, 1, 2 and 5. */
export function parseCoreList(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const [from = "", to = from] = range.split("-");
    if (from === "") return [];
    const count = Number(to) - Number(from) + 1;
    return Array.from({ length: count }, (_, offset) => Number(from) + offset);
  });
}
