import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { stringify } from "yaml";
import { runTool } from "../../../scripts/run-tool.ts";
import { runExternal } from "../workspace.ts";
import { checkOut } from "./checkout.ts";
import { surfaceOf, type PublicSuite, type Target, type SuiteResult } from "./suite.ts";

interface LoggedTest {
  readonly test_id: string;
  readonly spec_status?: string;
  readonly status: string;
  readonly spec_error_message?: string;
  readonly error_message?: string;
}

/** What it runs by itself, and the part of it that it leaves to those who have WebSocket and compaction. */
const suites: readonly (readonly string[])[] = [
  [],
  [
    "--suite",
    "configs/suite_responses_extended.yaml",
    "--capabilities",
    "configs/capabilities_responses_extended.yaml",
  ],
];

/** openai-compatible-tester, built with Go, by the vendor's rules (`--mode strict`). */
export const compatibleTester: PublicSuite = {
  name: "openai-compatible-tester",
  prepare: async (workshop) => {
    const { folder, version } = await checkOut(workshop, "CAUSEWAY_JUDGE_OPENAI_COMPATIBLE_TESTER");
    const program = join(folder, "tester");
    await runTool("go", ["build", "-C", folder, "-o", program, "."]);
    return { version, run: (target) => judge(folder, program, target) };
  },
};

async function judge(
  folder: string,
  program: string,
  target: Target,
): Promise<readonly SuiteResult[]> {
  const verdicts: SuiteResult[] = [];
  for (const [at, suite] of suites.entries()) {
    const report = join(target.home, `suite-${at}`);
    verdicts.push(...(await runSuite(folder, [program, ...suite], target, report)));
  }
  return verdicts;
}

async function runSuite(
  folder: string,
  words: readonly [string, ...string[]],
  { url, lane, home }: Target,
  report: string,
): Promise<readonly SuiteResult[]> {
  const models = join(home, "models.yaml");
  const profile = { name: "default", chat_model: lane.model, responses_model: lane.model };
  await writeFile(models, stringify({ profiles: [profile] }));
  const { stderr } = await runExternal({
    words: [
      ...words,
      "--no-tui",
      "--json",
      "--mode",
      "strict",
      "--models",
      models,
      "--out-dir",
      report,
    ],
    home,
    directory: folder,
    environment: { BASE_URL: url, OPENAI_API_KEY: lane.key },
    limitMs: 180_000,
  });
  return (await readRecords(report, stderr)).map(verdictOf);
}

/** The time of the run is added to the name of the report. */
async function readRecords(report: string, complaint: string): Promise<readonly LoggedTest[]> {
  const home = dirname(report);
  const entries = await readdir(home, { recursive: true });
  const log = entries.find(
    (entry) => entry.startsWith(basename(report)) && entry.endsWith("full_log.jsonl"),
  );
  if (log === undefined)
    throw new Error(`it wrote no log of its tests: ${complaint.slice(0, 300)}`);
  const lines = (await readFile(join(home, log), "utf8")).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LoggedTest);
}

function verdictOf(record: LoggedTest): SuiteResult {
  const status = record.spec_status ?? record.status;
  return {
    surface: surfaceOf(record.test_id),
    name: record.test_id,
    outcome: status === "pass" ? "held" : status === "unsupported" ? "skipped" : "failed",
    reason: record.spec_error_message ?? record.error_message ?? "",
  };
}
