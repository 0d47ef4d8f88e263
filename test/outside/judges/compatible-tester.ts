import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { runTool } from "../../../scripts/run-tool.ts";
import { runOutside } from "../workshop.ts";
import { checkOut } from "./checkout.ts";
import { surfaceOf, type Judge, type Target, type Verdict } from "./judge.ts";

interface LoggedTest {
  readonly test_id: string;
  readonly spec_status?: string;
  readonly status: string;
  readonly spec_error_message?: string;
  readonly error_message?: string;
}

/** openai-compatible-tester, built with Go, by the vendor's rules (`--mode strict`). */
export const compatibleTester: Judge = {
  name: "openai-compatible-tester",
  prepare: async (workshop) => {
    const folder = await checkOut(workshop, "CAUSEWAY_JUDGE_OPENAI_COMPATIBLE_TESTER");
    const program = join(folder, "tester");
    await runTool("go", ["build", "-C", folder, "-o", program, "."]);
    return { version: "its newest", run: (target) => judge(folder, program, target) };
  },
};

async function judge(folder: string, program: string, target: Target): Promise<readonly Verdict[]> {
  const { url, lane, home } = target;
  const models = join(home, "models.yaml");
  const profile = { name: "default", chat_model: lane.model, responses_model: lane.model };
  await writeFile(models, stringify({ profiles: [profile] }));
  const { stderr } = await runOutside({
    words: [
      program,
      "--no-tui",
      "--json",
      "--mode",
      "strict",
      "--models",
      models,
      // The time of the run is added to the name.
      "--out-dir",
      join(home, "report"),
    ],
    home,
    directory: folder,
    environment: { BASE_URL: url, OPENAI_API_KEY: lane.key },
    limitMs: 180_000,
  });
  return (await readRecords(home, stderr)).map(verdictOf);
}

async function readRecords(home: string, complaint: string): Promise<readonly LoggedTest[]> {
  const entries = await readdir(home, { recursive: true });
  const log = entries.find((entry) => entry.endsWith("full_log.jsonl"));
  if (log === undefined)
    throw new Error(`it wrote no log of its tests: ${complaint.slice(0, 300)}`);
  const lines = (await readFile(join(home, log), "utf8")).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LoggedTest);
}

function verdictOf(record: LoggedTest): Verdict {
  const status = record.spec_status ?? record.status;
  return {
    surface: surfaceOf(record.test_id),
    name: record.test_id,
    outcome: status === "pass" ? "held" : status === "unsupported" ? "skipped" : "failed",
    reason: record.spec_error_message ?? record.error_message ?? "",
  };
}
