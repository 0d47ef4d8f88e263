/** The packed package as strangers have it: in a new project, with the Node of their shell, through a bundler, in a browser. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from "vitest";
import development from "../../package.json" with { type: "json" };
import { guideScript } from "../polyglot/guide-script.ts";
import { CausewayProcess, repository } from "../support/causeway-process.ts";
import { restClient } from "../support/rest-client.ts";
import { newDataDirectory, removeDataDirectory } from "../support/data-directory.ts";

const run = promisify(execFile);

/** What a stranger's shell finds: nothing of this clone. */
const PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.startsWith(repository))
  .join(delimiter);

let folder: string;
let project: string;
let dataDirectory: string;
let page: Server;
let server: CausewayProcess;
let environment: Record<string, string>;
let said: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "causeway-package-"));
  dataDirectory = await newDataDirectory();
  page = createServer((request, response) => void servePage(request.url ?? "/", response));
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  project = join(folder, "first-call");
  // The guide needs a server, and the server comes out of the package: first the package.
  const [install = "", ...rest] = guideScript("## TypeScript").split(/(?=^cat > )/m);
  await shell(install, folder, {});
  await startServer();
  said = await shell(["set -euo pipefail\n", ...rest].join(""), project, environment);
});

afterAll(async () => {
  server.signalGroup("SIGKILL");
  await server.outcome;
  page.closeAllConnections();
  page.close();
  await removeDataDirectory(dataDirectory);
  await rm(folder, { recursive: true, force: true });
});

async function shell(
  script: string,
  cwd: string,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { ...process.env, PATH, CAUSEWAY: repository, ...more };
  const { stdout } = await run("bash", ["-c", script], { env, cwd, maxBuffer: 1 << 26 });
  return stdout;
}

function originOfPage(): string {
  return `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
}

/** What the bundler has built, which is there when a browser asks. */
async function servePage(path: string, response: ServerResponse): Promise<void> {
  const type = path.endsWith(".js") ? "text/javascript" : "text/html";
  const file = join(project, "dist", path === "/" ? "index.html" : path);
  const bytes = await readFile(file).catch(() => undefined);
  response.writeHead(bytes === undefined ? 404 : 200, { "content-type": type }).end(bytes);
}

/** `npx causeway serve` in the project, with nothing but what the package brings. */
async function startServer(): Promise<void> {
  const configuration = join(folder, "causeway.json");
  await writeFile(configuration, JSON.stringify({ cors: { origins: [originOfPage()] } }));
  server = CausewayProcess.start(["causeway", "serve"], {
    command: ["npx"],
    directory: project,
    environment: {
      CAUSEWAY_CONFIG: configuration,
      CAUSEWAY_DATA_DIR: dataDirectory,
      CAUSEWAY_PORT: "0",
      CAUSEWAY_TOOLS_PORT: "0",
    },
  });
  const [, url = ""] = await server.line(/^causeway gateway ready (.+)$/);
  await server.line(/^causeway tools ready (.+)$/);
  const key = await readFile(join(dataDirectory, "first-key"), "utf8");
  environment = { CAUSEWAY_URL: url, CAUSEWAY_KEY: key.trim() };
}

it("serves by `npx causeway serve`, and the guide's first call is made", () => {
  const docs = `${environment["CAUSEWAY_URL"]}/docs/errors#invalid_request`;
  expect(said).toBe(`Typed from TypeScript true\ninvalid_request name ${docs}\n`);
});

it("shows the pages and the interface that it needs files for", async () => {
  const call = restClient(environment["CAUSEWAY_URL"] ?? "");
  const { body } = await call("GET", "/openapi.json");
  expect(body.info.version).toBe(development.version);
  expect(body.paths["/v1/teams"].post.description).toContain("team");
});

it("is typed in strict projects, whichever way they find modules", async () => {
  const { typescript } = development.devDependencies;
  await shell(`npm install --no-audit --no-fund --save-dev typescript@${typescript}`, project, {});
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  const words = [...strict, "--noEmit", "--target", "es2022", "--lib", "es2022,dom"];
  const program = (type: string) => `import { createCausewayClient } from "causeway/client";
    const { name }: { name: ${type} } = await createCausewayClient({ baseUrl: "" }).teams.getTeam({});
    console.log(name);`;
  await writeFile(join(project, "right.ts"), program("string"));
  await writeFile(join(project, "wrong.ts"), program("number"));
  for (const module of ["nodenext", "preserve"]) {
    const check = `npx tsc --ignoreConfig ${words.join(" ")} --types "" --module ${module}`;
    expect(await shell(`${check} right.ts`, project, {})).toBe("");
    await expect(shell(`${check} wrong.ts`, project, {})).rejects.toMatchObject({
      stdout: expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    });
  }
});

it("calls from a page of another origin, through a bundler", async () => {
  await shell(guideScript("### In a browser"), project, {});
  const { CAUSEWAY_URL: baseUrl = "", CAUSEWAY_KEY: key = "" } = environment;
  const address = `${originOfPage()}/#${new URLSearchParams({ baseUrl, key }).toString()}`;
  const profile = await mkdtemp(join(folder, "profile-"));
  onTestFinished(() => rm(profile, { recursive: true, force: true }));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
  const show = ["--virtual-time-budget=20000", "--dump-dom", address];
  const { stdout } = await run(inject("chromium"), [...flags, ...show]);
  expect(stdout).toContain("Typed from TypeScript");
});
