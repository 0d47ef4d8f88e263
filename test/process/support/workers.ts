import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import type { CausewayProcess } from "../../support/causeway-process.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** Process id of each worker by its number, as its latest lines in the log tell; the tools come last. */
export function workerPids({ stderr }: CausewayProcess): Map<number, number> {
  const lines = stderr.matchAll(/"pid":(\d+),"worker":(\d+)/g);
  return new Map([...lines].map(([, pid, worker]) => [Number(worker), Number(pid)]));
}

/** Workers whose log has an answer to this path, each once. */
export function workersThatServed({ stderr }: CausewayProcess, path: string): Set<number> {
  const lines = stderr.split("\n").filter((line) => line.includes(`"route":"${path}"`));
  return new Set(lines.map((line) => Number(/"worker":(\d+)/.exec(line)?.[1])));
}

/** Asks on a new connection, which the next worker in turn gets; `fetch` may take one that is open. */
export async function getOnNewConnection(url: string): Promise<{ status: number; text: string }> {
  const request = get(url, { agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks = (await response.setEncoding("utf8").toArray()) as string[];
  return { status: response.statusCode ?? 0, text: chunks.join("") };
}

/** The status alone. */
export async function getOnSameConnection(url: string): Promise<number> {
  return (await getOnNewConnection(url)).status;
}

/** Ends workers, at once unless said, and waits until other processes have their numbers. */
export async function killWorkers(
  server: { readonly process: CausewayProcess; readonly url: string },
  numbers: readonly number[],
  signal: NodeJS.Signals = "SIGKILL",
): Promise<void> {
  const before = workerPids(server.process);
  for (const number of numbers) process.kill(before.get(number) ?? 0, signal);
  // Their first line is that their change feed is live, right before they listen.
  await waitUntil(() => {
    const now = workerPids(server.process);
    return numbers.every((number) => now.get(number) !== before.get(number));
  }, 60_000);
}

/** Command line of a process; of one that has ended none, also while nobody has asked how it ended. */
export function outputOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
  } catch {
    return [];
  }
}
