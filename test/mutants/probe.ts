/**
 * What code with probes in it calls: notes which test file reached which probe, as lines of
 * number and path in files of the folder that MUTANT_PROBES names.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const noted = new Set<string>();

/** Notes that the test file of this worker reached the probe. */
export function reached(probe: number): void {
  const folder = process.env["MUTANT_PROBES"];
  const worker = Reflect.get(globalThis, "__vitest_worker__") as { filepath?: string } | undefined;
  if (folder === undefined || worker?.filepath === undefined) return;
  const line = `${probe}\t${worker.filepath}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(folder, `${process.pid}-${threadName}`), line);
}

const threadName = Math.random().toString(36).slice(2);
