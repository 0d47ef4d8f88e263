/** `npm run fuzz`: sends hostile requests to a server of its own. See --help. */
import { FuzzRun } from "./run/fuzz-run.ts";
import { readOptions, usage, type FuzzOptions } from "./run/options.ts";
import { reportText, settledFault } from "./run/report.ts";
import { ServerUnderTest } from "./run/server-under-test.ts";
import { startUpstreamDouble } from "./run/upstream-double.ts";

/** Resolves with the exit code: 1 when anything was found. */
async function run(options: FuzzOptions): Promise<number> {
  say(`seed ${options.seed}`);
  const double = await startUpstreamDouble();
  const target = await ServerUnderTest.start({
    upstreamOrigin: double.origin,
    workers: options.workers,
  });
  try {
    const report = await new FuzzRun({ ...options, say }, target, double).run();
    const settled = settledFault(report);
    say(`\n${reportText(report, options.seed)}`);
    if (settled !== undefined) say(`FINDING: ${settled}`);
    return report.findings.length === 0 && settled === undefined ? 0 : 1;
  } finally {
    await target.end();
    await double.close();
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
