import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What a program may print, and how long it may run. */
const limits = { maxBuffer: 256 * 1024 * 1024, timeout: 10 * 60_000 };

/** Runs a program to its end in a directory. Rejects with what it said when it fails. */
export async function runIn(
  directory: string,
  program: string,
  words: readonly string[],
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { cwd: directory, ...limits });
  return stdout;
}
