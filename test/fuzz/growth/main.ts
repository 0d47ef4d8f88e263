/** `npm run fuzz:growth`: looks for documents that take more time than their length. See --help. */
import { readGrowthOptions, usage, type GrowthOptions } from "./growth-options.ts";
import { formatFinding, runGrowth, type GrowthReport } from "./run-growth.ts";

/** Resolves with the exit code: 1 when anything was found. */
async function run(options: GrowthOptions): Promise<number> {
  const start = performance.now();
  const report = await runGrowth(options, say);
  say(`\n${reportText(report)}`);
  say(`took ${Math.round((performance.now() - start) / 1000)} s`);
  return report.findings.length === 0 ? 0 : 1;
}

function reportText({ measured, refused, findings }: GrowthReport): string {
  const head = `${measured} combinations, ${refused} refused, ${findings.length} found`;
  return [head, ...findings.map(formatFinding)].join("\n");
}

function say(text: string): void {
  console.log(text);
}

const words = process.argv.slice(2);
try {
  if (words.includes("--help")) say(usage);
  else process.exitCode = await run(readGrowthOptions(words));
} catch (error) {
  console.error(`fuzz: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
}
