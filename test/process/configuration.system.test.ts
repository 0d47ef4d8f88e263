import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runCauseway } from "../support/causeway-process.ts";
import { dataDirectoryForTest, startServerForTest } from "../support/server-process.ts";
import { createTestDatabase } from "../support/test-database.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Settings = Readonly<Record<string, string>>;

const key = Buffer.alloc(32, 7).toString("base64");
const otherKey = Buffer.alloc(32, 8).toString("base64");
const freePorts = { CAUSEWAY_PORT: "0", CAUSEWAY_TOOLS_PORT: "0" };

// All of them are in test/platform/configuration; here is what the process makes of them.
describe("[start.bad-configuration] [environment.secret-key] a variable that cannot be used", () => {
  it.each<[Settings, string]>([
    [{ CAUSEWAY_PORT: "http" }, "CAUSEWAY_PORT: must be a port number, 0 to 65535"],
    [{ CAUSEWAY_HOST: "192.0.2.1" }, "CAUSEWAY_HOST: 192.0.2.1 is no address of this machine."],
    [
      { CAUSEWAY_SECRET_KEY: "short" },
      "CAUSEWAY_SECRET_KEY: must be 32 bytes in base64 (openssl rand -base64 32)",
    ],
    [
      { CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1" },
      'CAUSEWAY_UPSTREAM_ALLOW: the entry "127.0.0.1" must be host-or-CIDR:port, for example 127.0.0.1:11434, [::1]:* or 10.20.0.0/16:8000',
    ],
    [
      { DATABASE_URL: "postgres://user:canary@127.0.0.1:99999/causeway" },
      "DATABASE_URL: must be postgres://user:password@host:port/database, special characters percent-encoded",
    ],
    [
      { CAUSEWAY_REDIS_URL: "redis://user:canary@127.0.0.1/none" },
      "CAUSEWAY_REDIS_URL: must be redis://user:password@host:port/database, or rediss:// for TLS; user, password, port and database may be left out, special characters are percent-encoded",
    ],
    [
      { DATABASE_URL: "postgres://127.0.0.1/causeway" },
      "CAUSEWAY_SECRET_KEY: is required with DATABASE_URL: 32 bytes in base64 (openssl rand -base64 32)",
    ],
    [
      { CAUSEWAY_CONFIG: "/nonexistent/causeway.yaml" },
      "CAUSEWAY_CONFIG /nonexistent/causeway.yaml: cannot be read (ENOENT)",
    ],
    [
      { CAUSEWAY_DATA_DIR: "/proc/causeway" },
      "CAUSEWAY_DATA_DIR: /proc/causeway cannot be created (ENOENT)",
    ],
  ])("stops the start and is named in one line: %j", async (settings, line) => {
    expect(await refusedStart(settings)).toEqual(refusal(line));
  });
});

describe("[start.bad-configuration] [file.variable] a configuration file that cannot be used", () => {
  it.each([
    ["vendorz: {}", "vendorz: unknown key"],
    [
      "credits: { keys: { acme: '${NO_SUCH_KEY}' } }",
      "credits.keys.acme: the environment variable NO_SUCH_KEY is not set",
    ],
    [
      "vendors: [",
      "is neither JSON nor YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 11",
    ],
  ])("stops the start and is named in one line: %s", async (content, problem) => {
    const file = join(await dataDirectoryForTest(), "causeway.yaml");
    await writeFile(file, content);
    const line = `CAUSEWAY_CONFIG ${file}: ${problem}`;
    expect(await refusedStart({ CAUSEWAY_CONFIG: file })).toEqual(refusal(line));
  });
});

describe("a database that cannot be used", () => {
  let secured: string;
  beforeAll(async () => {
    secured = (await createTestDatabase()).connectionString;
    const environment = { DATABASE_URL: secured, CAUSEWAY_SECRET_KEY: key };
    await runCauseway(["database", "migrate"], { environment });
  });

  it("of another secret key", async () => {
    const settings = { DATABASE_URL: secured, CAUSEWAY_SECRET_KEY: otherKey };
    const line =
      "CAUSEWAY_SECRET_KEY: does not open this database, which was sealed under another key; put that key into the list";
    expect(await refusedStart(settings)).toEqual(refusal(line));
  });

  it("that refuses connections", async () => {
    const server = await listenForTest();
    const port = portOf(server);
    server.close();
    const line = `Cannot connect to the database 127.0.0.1:${port}/causeway: connect ECONNREFUSED 127.0.0.1:${port}. Check DATABASE_URL and that the server runs.`;
    expect(await refusedStart(databaseAt(port))).toEqual(refusal(line, 1));
  });

  it("that never answers, in time", async () => {
    const startedAt = performance.now();
    const { code, stderr } = await refusedStart(databaseAt(portOf(await listenForTest())));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^causeway: Cannot connect to the database .+\n$/);
    expect(stderr).not.toContain("canary");
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

it("a port in use, before a database is made", async () => {
  const port = portOf(await listenForTest());
  const line = `CAUSEWAY_TOOLS_PORT: port ${port} on 127.0.0.1 is in use; stop what uses it, set another port, or 0 for any free one.`;
  expect(await refusedStart({ CAUSEWAY_TOOLS_PORT: String(port) })).toEqual(refusal(line, 1));
});

it("[environment.unknown] warns of a variable that it does not know, and starts", async () => {
  const { connectionString: databaseUrl } = await createTestDatabase();
  const environment = { CAUSEWAY_PROT: "8080" };
  const server = await startServerForTest({ databaseUrl, environment });
  const [line] = await server.process.logLine(/^.*CAUSEWAY_PROT.*$/);
  expect(JSON.parse(line)).toMatchObject({ level: 40, variable: "CAUSEWAY_PROT" });
});

/** How a start ended, and whether it left anything on the disk. */
interface RefusedStart {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly hasMadeDirectory: boolean;
}

/** Starts the server with settings that it cannot start with. */
async function refusedStart(settings: Settings): Promise<RefusedStart> {
  const dataDirectory = join(await dataDirectoryForTest(), "data");
  const environment = { CAUSEWAY_DATA_DIR: dataDirectory, ...freePorts, ...settings };
  const { code, stdout, stderr } = await runCauseway(["serve"], { environment });
  return { code, stdout, stderr, hasMadeDirectory: existsSync(dataDirectory) };
}

/** One line on stderr, and nothing else. */
function refusal(line: string, code = 78): RefusedStart {
  return { code, stdout: "", stderr: `causeway: ${line}\n`, hasMadeDirectory: false };
}

function databaseAt(port: number): Settings {
  return {
    DATABASE_URL: `postgres://causeway:canary@127.0.0.1:${port}/causeway`,
    CAUSEWAY_SECRET_KEY: key,
  };
}

/** Takes connections and says nothing. */
async function listenForTest(): Promise<Server> {
  const server = createServer((socket) => void socket.on("error", () => undefined)).unref();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
