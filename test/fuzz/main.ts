/** `npm run fuzz`: sends hostile requests to a server of its own. See --help. */
import { startFuzzEnvironment } from "./run/fuzz-environment.ts";
import { FuzzRun } from "./run/fuzz-run.ts";
import { readOptions, usage, type FuzzOptions } from "./run/options.ts";
import { reportText, settledFault } from "./run/report.ts";

/** Resolves with the exit code: 1 when anything was found. */
async function run(options: FuzzOptions): Promise<number> {
  say(`seed ${options.seed}`);
  const surroundings = await startFuzzEnvironment({ workers: options.workers });
  try {
    const report = await new FuzzRun(
      { ...options, say },
      surroundings.target,
      surroundings.double,
    ).run();
    const settled = settledFault(report);
    say(`\n${reportText(report, options.seed)}`);
    if (settled !== undefined) say(`FINDING: ${settled}`);
    return report.findings.length === 0 && settled === undefined ? 0 : 1;
  } finally {
    await surroundings.end();
  }
}

function say(text: string): void {
  console.log(text);
}

const words = process.argv.slice(2);
try {
  if (words.includes("--help")) say(usage);
  else process.exitCode = await run(readOptions(words));
} catch (error) {
  console.error(`fuzz: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
}
