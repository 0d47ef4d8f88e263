import { stat } from "node:fs/promises";
import { join } from "node:path";
import { install } from "../packages.ts";
import type { Dialect } from "../strict-environment.ts";
import { runExternal, type Workspace } from "../workspace.ts";
import { checkOut } from "./checkout.ts";
import type { PublicSuite, Target, SuiteResult } from "./suite.ts";

interface ComplianceReport {
  readonly results: readonly {
    readonly id: string;
    readonly status: string;
    readonly errors?: readonly string[];
  }[];
}

/** What the official suite asks; copies of it ask more. */
const officialCases = [
  "basic-response",
  "assistant-phase",
  "response-output-phase-schema",
  "streaming-response",
  "websocket-response",
  "websocket-sequential-responses",
  "websocket-continuation",
  "websocket-reconnect-store-false-recovery",
  "websocket-previous-response-not-found",
  "websocket-failed-continuation-evicts-cache",
  "websocket-compact-new-chain",
  "system-prompt",
  "tool-calling",
  "image-input",
  "multi-turn",
  "compact-response",
  "compact-missing-model",
];

/** One suite of the repository. */
interface Suite {
  readonly surface: Dialect;
  /** What its address ends with; in the suite of messages it is a part of the path. */
  readonly base: "/v1" | "";
  /** Words that choose it. */
  readonly words: readonly string[];
}

const several: readonly Suite[] = [
  { surface: "chat", base: "/v1", words: ["--spec", "chat-completions"] },
  { surface: "messages", base: "", words: ["--spec", "anthropic-messages"] },
  { surface: "responses", base: "/v1", words: ["--spec", "responses"] },
];

/** The compliance suite of Open Responses, from its repository or a copy of it. */
export const openResponses: PublicSuite = {
  name: "Open Responses",
  prepare: async (workshop) => {
    const { program, version, isCopy } = await suiteIn(workshop);
    const spec = isCopy ? ["--spec", "responses"] : [];
    const words = [...spec, "--filter", officialCases.join(",")];
    const suite: Suite = { surface: "responses", base: "/v1", words };
    return { version, run: (target) => runSuite(program, suite, target) };
  },
};

/** What a copy of the repository has beside them: more cases, and suites of the other dialects. */
export const openResponsesCopy: PublicSuite = {
  name: "a copy of Open Responses",
  prepare: async (workshop) => {
    const { program, version, isCopy } = await suiteIn(workshop);
    if (!isCopy) throw new Error("the folder holds the official suite alone");
    return { version, run: (target) => runSuites(program, target) };
  },
};

interface Program {
  readonly program: string;
  readonly version: string;
  /** Copies that ask more have a suite for each dialect. */
  readonly isCopy: boolean;
}

const programs = new WeakMap<Workspace, Promise<Program>>();

/** Both judges are one program. */
function suiteIn(workshop: Workspace): Promise<Program> {
  const program = programs.get(workshop) ?? prepare(workshop);
  programs.set(workshop, program);
  return program;
}

async function prepare(workshop: Workspace): Promise<Program> {
  const { folder, version } = await checkOut(workshop, "CAUSEWAY_JUDGE_OPEN_RESPONSES");
  const tools = await workshop.newFolder("open-responses-tools");
  await install({ manager: "npm", names: ["esbuild", "zod@3"] }, tools);
  const program = await bundle(workshop, folder, tools);
  return { program, version, isCopy: await hasSeveralSuites(folder) };
}

/** Its imports have no endings, as only bundlers read them. */
async function bundle(workshop: Workspace, folder: string, tools: string): Promise<string> {
  const program = join(tools, "compliance.mjs");
  const { code, stderr } = await runExternal({
    words: [
      join(tools, "node_modules/.bin/esbuild"),
      join(folder, "bin/compliance-test.ts"),
      "--bundle",
      "--platform=node",
      "--format=esm",
      "--log-level=error",
      `--outfile=${program}`,
    ],
    home: workshop.folder,
    directory: tools,
    environment: { NODE_PATH: join(tools, "node_modules") },
    limitMs: 60_000,
  });
  if (code !== 0) throw new Error(stderr.slice(0, 300));
  return program;
}

function hasSeveralSuites(folder: string): Promise<boolean> {
  return stat(join(folder, "src/lib/compliance/responses")).then(
    () => true,
    () => false,
  );
}

async function runSuites(program: string, target: Target): Promise<readonly SuiteResult[]> {
  const verdicts: SuiteResult[] = [];
  for (const suite of several) verdicts.push(...(await runSuite(program, suite, target)));
  return verdicts.filter(
    ({ surface, name }) => surface !== "responses" || !officialCases.includes(name),
  );
}

async function runSuite(
  program: string,
  { surface, base, words }: Suite,
  { url, lane, home }: Target,
): Promise<readonly SuiteResult[]> {
  const where = ["-u", `${url}${base}`, "-k", lane.key, "-m", lane.model];
  const { stdout, stderr } = await runExternal({
    words: ["node", program, ...words, ...where, "--json"],
    home,
    directory: home,
    limitMs: 120_000,
  });
  if (stdout === "") throw new Error(`it reported nothing: ${stderr.slice(0, 300)}`);
  const { results } = JSON.parse(stdout) as ComplianceReport;
  return results.map(({ id, status, errors = [] }) => ({
    surface,
    name: id,
    outcome: status === "passed" ? "held" : status === "failed" ? "failed" : "skipped",
    reason: errors.join("; ").slice(0, 300),
  }));
}
