import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Ends the embedded database of a gateway that could not end it itself, because
 * it was killed. The file that names the process is gone after an orderly stop.
 */
export function stopLeftoverDatabase(dataDirectory: string): void {
  for (const file of globSync("**/postmaster.pid", { cwd: dataDirectory })) {
    const pid = Number(readFileSync(join(dataDirectory, file), "utf8").split("\n")[0]);
    if (pid > 1) endProcess(pid);
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGQUIT");
  } catch {
    // It is gone already.
  }
}
