import { join } from "node:path";
import { install } from "../packages.ts";
import { runExternal } from "../workspace.ts";
import type { Dialect } from "../strict-environment.ts";
import type { PublicSuite, Target, SuiteResult } from "./suite.ts";

interface ComplyReport {
  readonly results: readonly {
    readonly id: string;
    readonly status: string;
    readonly errors?: readonly string[];
  }[];
}

const formats: readonly (readonly [Dialect, string])[] = [
  ["chat", "openai-chat"],
  ["messages", "anthropic"],
  ["responses", "open-responses"],
];

/** llm-comply, which holds answers to the vendors' own descriptions. */
export const llmComply: PublicSuite = {
  name: "llm-comply",
  prepare: async (workshop) => {
    const folder = await workshop.newFolder("llm-comply");
    const { version } = await install({ manager: "pip", names: ["llm-comply"] }, folder);
    return { version, run: (target) => judge(folder, target) };
  },
};

async function judge(folder: string, target: Target): Promise<readonly SuiteResult[]> {
  const verdicts: SuiteResult[] = [];
  for (const format of formats) verdicts.push(...(await judgeFormat(folder, target, format)));
  return verdicts;
}

async function judgeFormat(
  folder: string,
  { url, lane, home }: Target,
  [surface, format]: readonly [Dialect, string],
): Promise<readonly SuiteResult[]> {
  const program = join(folder, "bin/llm-comply");
  const where = ["--format", format, "-u", `${url}/v1`, "-k", lane.key, "-m", lane.model];
  const { stdout } = await runExternal({
    words: ["python3", program, ...where, "--json"],
    home,
    directory: home,
    environment: { PYTHONPATH: folder },
    limitMs: 120_000,
  });
  const { results } = JSON.parse(stdout) as ComplyReport;
  return results.map(({ id, status, errors = [] }) => ({
    surface,
    name: id,
    outcome: status === "passed" ? "held" : status === "failed" ? "failed" : "skipped",
    reason: errors.join("; "),
  }));
}
