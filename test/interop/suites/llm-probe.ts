import { join } from "node:path";
import { install } from "../packages.ts";
import { runExternal } from "../workspace.ts";
import { surfaceOf, type PublicSuite, type Target, type SuiteResult } from "./suite.ts";

interface ProbeReport {
  readonly conformance: {
    readonly results: readonly {
      readonly id: string;
      readonly surface: string;
      readonly outcome: string;
      readonly failures: readonly { readonly severity: string; readonly message: string }[];
    }[];
  };
}

/** llmprobe's conformance, without its benchmark. A case fails by what it calls a MUST. */
export const llmProbe: PublicSuite = {
  name: "llmprobe",
  prepare: async (workshop) => {
    const folder = await workshop.newFolder("llmprobe");
    const { version } = await install({ manager: "npm", names: ["llmprobe@0.6.12"] }, folder);
    const program = join(folder, "node_modules/.bin/llmprobe");
    return { version, run: (target) => judge(program, target) };
  },
};

async function judge(program: string, target: Target): Promise<readonly SuiteResult[]> {
  const { url, lane, home } = target;
  const words = [
    `${url}/v1`,
    "-k",
    lane.key,
    "-m",
    lane.model,
    "--no-bench",
    "--no-save",
    "--json",
  ];
  const { stdout } = await runExternal({
    words: [program, ...words],
    home,
    directory: home,
    limitMs: 180_000,
  });
  const { conformance } = JSON.parse(stdout) as ProbeReport;
  return conformance.results.map(({ id, surface, outcome, failures }) => ({
    surface: surfaceOf(surface),
    name: id,
    outcome: outcome === "fail" ? "failed" : outcome === "pass" ? "held" : "skipped",
    reason: failures.map(({ severity, message }) => `${severity}: ${message}`).join("; "),
  }));
}
