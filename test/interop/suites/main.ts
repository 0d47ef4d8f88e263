/** `npm run judges`: published suites judge the gateway. See --help. */
import { parseArgs } from "node:util";
import { writeSection } from "../write-section.ts";
import { allSuites } from "./all-suites.ts";
import { failuresOf, reportOf } from "./report.ts";
import { runSuites } from "./run-suites.ts";

const usage = `npm run judges -- [options]
  --judge <text>   only judges with this in their name; may be repeated.
                   The table of docs/compatibility-results.md is written by runs of all judges alone.
Suites that no package manager has are named by their folder or the address of their repository:
  CAUSEWAY_JUDGE_OPEN_RESPONSES, CAUSEWAY_JUDGE_OPENAI_COMPATIBLE_TESTER, CAUSEWAY_JUDGE_LLAMA_CPP`;

/** Resolves with the exit code: 1 when a case does not hold and nobody has said why. */
async function run(wanted: readonly string[]): Promise<number> {
  const isWanted = (name: string) =>
    wanted.length === 0 || wanted.some((text) => name.toLowerCase().includes(text.toLowerCase()));
  const judges = allSuites.filter(({ name }) => isWanted(name));
  if (judges.length === 0) throw new Error(`no judge has ${wanted.join(" or ")} in its name`);
  const outcomes = await runSuites(judges, say);
  const report = reportOf(outcomes, new Date().toISOString().slice(0, 10));
  say(`\n${report}`);
  if (wanted.length === 0) await writeSection("compatibility-results.md", "judges", report);
  return failuresOf(outcomes).every(({ why }) => why !== undefined) ? 0 : 1;
}

function say(text: string): void {
  console.log(text);
}

// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
try {
  const { values } = parseArgs({
    options: {
      judge: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) say(usage);
  else process.exitCode = await run(values.judge);
} catch (error) {
  console.error(
    `judges: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  process.exitCode = 1;
}
