/**
 * `npm run lint:deploy`: has the tools of their makers read the deployment files. `npm test`
 * reads them too, on any machine; what these need has to be installed. A tool that is missing
 * is said, and with `CI` set a failure.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "./provide-program.ts";
import { repository, runTool } from "./run-tool.ts";

interface Linter {
  readonly program: string;
  /** Said where it is missing. */
  readonly source: string;
  /** Words with which it succeeds where it is installed whole. */
  readonly probe: readonly string[];
  readonly lint: (program: string) => Promise<void>;
}

const chart = "deploy/helm/causeway";
const withSecret = ["--set", "secrets.existingSecret=causeway"];
const withEverything = [
  "ingress.enabled=true",
  "ingress.gatewayHost=causeway.example.org",
  "ingress.tlsSecret=tls",
  "networkPolicy.enabled=true",
].flatMap((value) => ["--set", value]);

const linters: readonly Linter[] = [
  {
    program: "hadolint",
    probe: ["--version"],
    source: "https://github.com/hadolint/hadolint",
    lint: (program) => runTool(program, ["Dockerfile"]),
  },
  {
    program: "helm",
    probe: ["version"],
    source: "https://helm.sh/docs/intro/install/",
    lint: async (program) => {
      await runTool(program, ["lint", "--strict", chart, ...withSecret]);
      await runTool(program, ["lint", "--strict", chart, ...withSecret, ...withEverything]);
    },
  },
  {
    program: "nginx",
    probe: ["-v"],
    source: "Debian's package nginx, or https://nginx.org/en/download.html",
    lint: lintProxy,
  },
  {
    program: "docker",
    probe: ["compose", "version"],
    source: "https://docs.docker.com/compose/install/",
    lint: (program) => {
      const env = ["--env-file", "deploy/env.example"];
      const words = ["compose", ...env, "--file", "deploy/compose.yaml", "config", "--quiet"];
      return runTool(program, [...words, "--no-interpolate"]);
    },
  },
];

let isMissing = false;
for (const { program, source, probe, lint } of linters) {
  const path = await findProgram({ names: [program], missing: source }).catch(() => undefined);
  if (path === undefined || spawnSync(path, probe).status !== 0) {
    console.error(`Not linted, because \`${program} ${probe.join(" ")}\` fails here: ${source}`);
    isMissing = true;
    continue;
  }
  console.log(`lint: ${program}`);
  await lint(path);
}
if (isMissing && (process.env["CI"] ?? "") !== "") process.exitCode = 1;

/** nginx looks the gateways' names up, which only the composition has. */
async function lintProxy(program: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-nginx-"));
  const file = join(folder, "nginx.conf");
  const text = await readFile(join(repository, "deploy/nginx.conf"), "utf8");
  await writeFile(file, text.replaceAll(/gateway-\d/g, "127.0.0.1"));
  try {
    await runTool(program, ["-t", "-q", "-p", folder, "-c", file]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
