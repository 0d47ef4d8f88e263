import { once } from "node:events";
import { createInterface } from "node:readline";

/** Asks for a line on standard error and reads it from standard input; undefined when that has ended. */
export async function promptForLine(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin });
  process.stderr.write(question);
  const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as string[];
  lines.close();
  return line?.trim() || undefined;
}
