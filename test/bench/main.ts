/** `npm run bench`: measures the gateway against baselines on this machine. See --help. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allCases } from "./cases/all-cases.ts";
import { chosen, readOptions, usage, type Options } from "./options.ts";
import { writeReport } from "./report/report.ts";
import { runBenchmark } from "./run-benchmark.ts";
import { ProcessGroup } from "./running/process-group.ts";
import { allVariants } from "./variants/all-variants.ts";

const reportFile = "bench-report.json";

/** Far above what a run takes: a run that hangs ends all the same. */
const longestRunMs = 15 * 60_000;

/** Runs what the options name. Resolves with the exit code: failed calls decide it, no timing does. */
async function run(options: Options): Promise<number> {
  const cases = chosen("case", allCases, options.cases);
  const variants = chosen("variant", allVariants, options.variants);
  const directory = newDirectory();
  const stage = new ProcessGroup(directory);
  try {
    const plan = { stage, directory, cases, variants, settings: options.settings, say };
    const report = await Promise.race([runBenchmark(plan), interruption()]);
    writeReport(reportFile, report);
    say(`\n${report.errors} errors, ${report.seconds} s, figures in ${reportFile}`);
    return report.errors === 0 ? 0 : 1;
  } finally {
    await stage[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Open to traverse: the embedded database runs under an account of its own when this is root. */
function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "causeway-bench-"));
  chmodSync(directory, 0o711);
  return directory;
}

/** Rejects on Ctrl-C, on SIGTERM and when a run takes far too long. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    process.once("SIGINT", () => reject(new Error("interrupted")));
    process.once("SIGTERM", () => reject(new Error("terminated")));
    setTimeout(() => reject(new Error("gave up, the run hangs")), longestRunMs).unref();
  });
}

function say(text: string): void {
  console.log(text);
}

const words = process.argv.slice(2);
try {
  if (words.includes("--help")) say(usage);
  else process.exitCode = await run(readOptions(words));
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
