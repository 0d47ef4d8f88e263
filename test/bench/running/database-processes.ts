import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Processes of the embedded database below a data directory; none where /proc does not tell them. */
export function databaseProcesses(dataDirectory: string): readonly number[] {
  const [file] = globSync("**/postmaster.pid", { cwd: dataDirectory });
  if (file === undefined) return [];
  const postmaster = Number(readFileSync(join(dataDirectory, file), "utf8").split("\n")[0]);
  return [postmaster, ...childrenOf(postmaster)];
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}
