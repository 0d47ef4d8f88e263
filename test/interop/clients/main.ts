/** `npm run clients`: real clients in front of the gateway. See --help. */
import { markdown } from "../../bench/report/table.ts";
import { writeSection } from "../write-section.ts";
import { allClients } from "./all-clients.ts";
import { readOptions, usage, type Options } from "./options.ts";
import { clientProblems, tableOfClients } from "./report.ts";
import { runClients } from "./run-clients.ts";

/** Resolves with the exit code: 1 when a session was not whole. */
async function run({ clients }: Options): Promise<number> {
  const chosen = allClients.filter(({ name }) => isChosen(name, clients));
  if (chosen.length === 0) throw new Error(`no client has ${clients.join(" or ")} in its name`);
  const outcomes = await runClients(chosen, say);
  const faults = clientProblems(outcomes);
  const table = tableOfClients(outcomes, new Date().toISOString().slice(0, 10));
  say(`\n${markdown(table)}`);
  if (clients.length === 0) await writeSection("clients.md", "clients", markdown(table));
  return faults.length === 0 ? 0 : 1;
}

function isChosen(name: string, wanted: readonly string[]): boolean {
  return (
    wanted.length === 0 || wanted.some((text) => name.toLowerCase().includes(text.toLowerCase()))
  );
}

function say(text: string): void {
  console.log(text);
}

// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const words = process.argv.slice(2);
try {
  if (words.includes("--help")) say(usage);
  else process.exitCode = await run(readOptions(words));
} catch (error) {
  console.error(
    `clients: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  process.exitCode = 1;
}
