import { join } from "node:path";
import { install } from "../packages.ts";
import { runExternal } from "../workspace.ts";
import { surfaceOf, type PublicSuite, type Target, type SuiteResult } from "./suite.ts";

interface CanaryReport {
  readonly results: readonly {
    readonly id: string;
    readonly status: string;
    readonly summary: string;
  }[];
}

/** compatcanary's seven probes. */
export const compatCanary: PublicSuite = {
  name: "compatcanary",
  prepare: async (workshop) => {
    const folder = await workshop.newFolder("compatcanary");
    const { version } = await install({ manager: "npm", names: ["compatcanary@0.2.2"] }, folder);
    const program = join(folder, "node_modules/.bin/compatcanary");
    return { version, run: (target) => judge(program, target) };
  },
};

async function judge(program: string, target: Target): Promise<readonly SuiteResult[]> {
  const { url, lane, home } = target;
  const where = ["--base-url", `${url}/v1`, "--model", lane.model, "--api-key", lane.key];
  const { stdout } = await runExternal({
    words: [program, "scan", ...where, "--profile", "modern", "--format", "json"],
    home,
    directory: home,
    limitMs: 120_000,
  });
  const { results } = JSON.parse(stdout) as CanaryReport;
  return results.map(({ id, status, summary }) => ({
    surface: surfaceOf(id),
    name: id,
    outcome: status === "pass" ? "held" : status === "skip" ? "skipped" : "failed",
    reason: summary,
  }));
}
