import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CausewayProcess, runCauseway } from "../support/causeway-process.ts";
import {
  dataDirectoryForTest,
  startServer,
  startServerForTest,
  type ServerProcess,
} from "../support/server-process.ts";
import { TerminalProcess } from "../support/terminal-process.ts";
import { createTestDatabase } from "../support/test-database.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const readyLines =
  /^causeway gateway ready http:\/\/127\.0\.0\.1:\d+\ncauseway tools ready http:\/\/127\.0\.0\.1:\d+\n/;

describe("on the embedded database", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.end());

  const keyFile = () => readFile(join(server.dataDirectory, "first-key"), "utf8");

  it("[start.npm] [start.ready-line] prints a line per service when it is ready", () => {
    expect(server.process.stdout).toMatch(readyLines);
  });

  it("[first-start.key] prints a line for curl that works as it stands", async () => {
    await server.process.line(/documentation/);
    const [line = ""] = /^ *curl .*$/m.exec(server.process.stdout) ?? [];
    expect(line).toContain(`$(cat ${join(server.dataDirectory, "first-key")})`);
    const { stdout } = await promisify(execFile)("sh", ["-c", `${line} --silent --fail`]);
    expect(JSON.parse(stdout)).toMatchObject({ object: "list", data: [] });
  });

  it("[first-start.key] prints the key itself to no pipe, which may be a log", async () => {
    await server.process.line(/documentation/);
    expect(server.process.stdout + server.process.stderr).not.toContain("cwk_");
  });

  it("[first-start.key] prints the key once to a terminal", async () => {
    const dataDirectory = await dataDirectoryForTest();
    const terminal = TerminalProcess.open(["serve"], {
      CAUSEWAY_DATA_DIR: dataDirectory,
      CAUSEWAY_PORT: "0",
      CAUSEWAY_TOOLS_PORT: "0",
    });
    await terminal.shows("the documentation is at");
    const key = (await readFile(join(dataDirectory, "first-key"), "utf8")).trim();
    expect(terminal.screen.split(key)).toHaveLength(2);
    terminal.type("\u0003");
    await terminal.ended();
  });

  it.each(["first-key", "admin-token", "secret-key", "database-password"])(
    "[first-start.key] [environment.data-dir] keeps %s to its user",
    async (name) => {
      const { mode } = await stat(join(server.dataDirectory, name));
      expect((mode & 0o777).toString(8)).toBe("600");
    },
  );

  it("[first-start.owner] gives the first key every scope", async () => {
    const token = (await keyFile()).trim();
    const answer = await server.call("GET", "/v1/admin/users", { token: server.adminToken });
    expect(answer.body.data).toMatchObject([{ email: "owner@localhost" }]);
    const keys = `/v1/admin/users/${answer.body.data[0].id}/keys`;
    const { body } = await server.call("GET", keys, { token: server.adminToken });
    expect(body.data).toMatchObject([
      {
        prefix: token.slice(0, 10),
        scopes: [
          "gateway:invoke",
          "teams:read",
          "teams:write",
          "endpoints:read",
          "endpoints:write",
        ],
      },
    ]);
  });

  it("starts again with the same key and prints it no more", async () => {
    const { dataDirectory } = server;
    const key = await keyFile();
    expect(await server.stop()).toMatchObject({ code: 0 });
    const again = await startServerForTest({ dataDirectory });
    await again.stop();
    expect(again.process.stdout).toMatch(new RegExp(`${readyLines.source}$`));
    expect(again.adminToken).toBe(server.adminToken);
    expect(await keyFile()).toBe(key);
  });
});

describe("with DATABASE_URL", () => {
  it("[first-start.never] prints the ready lines only, and writes no secret", async () => {
    const database = await createTestDatabase();
    const server = await startServerForTest({ databaseUrl: database.connectionString });
    const users = await server.call("GET", "/v1/admin/users", { token: server.adminToken });
    await server.stop();
    expect(users.body.data).toEqual([]);
    expect(server.process.stdout).toMatch(new RegExp(`${readyLines.source}$`));
    expect(await readdir(server.dataDirectory)).toEqual([]);
  });
});

describe("a service of one's choice", () => {
  it.each([
    ["gateway", /^causeway gateway ready http:\S+$/],
    ["tools", /^causeway tools ready http:\S+$/],
  ])("[start.serve] [start.ports] serve %s", async (service, ready) => {
    const database = await createTestDatabase();
    const child = CausewayProcess.start(["serve", service], {
      environment: {
        DATABASE_URL: database.connectionString,
        CAUSEWAY_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
        CAUSEWAY_DATA_DIR: await dataDirectoryForTest(),
        CAUSEWAY_PORT: "0",
        CAUSEWAY_TOOLS_PORT: "0",
      },
    });
    await child.line(ready);
    child.signal("SIGTERM");
    const { code, stdout } = await child.ended();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([expect.stringMatching(ready)]);
  });

  it("[start.serve] serve nonsense", async () => {
    const { code, stdout, stderr } = await runCauseway(["serve", "nonsense"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 78,
      stdout: "",
      stderr: 'causeway: serve: "nonsense" is no service; say all, gateway or tools\n',
    });
  });
});
