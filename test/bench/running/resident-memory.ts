import { readFileSync } from "node:fs";

/** Resident memory of some processes in MiB. Undefined where /proc does not tell it. */
export function residentMemory(pids: readonly number[]): number | undefined {
  try {
    return pids.reduce((sum, pid) => sum + residentKib(pid), 0) / 1024;
  } catch {
    return undefined;
  }
}

function residentKib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]);
  if (Number.isNaN(kib)) throw new Error(`no VmRSS of process ${pid}`);
  return kib;
}
