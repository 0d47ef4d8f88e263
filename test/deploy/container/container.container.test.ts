/** The image of the Dockerfile, as an operator runs it: with a database, ports and secrets. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { closedPort } from "../../support/closed-port.ts";
import { createTestDatabase, type TestDatabase } from "../../support/test-database.ts";
import { Builder } from "./builder.ts";
import { startTcpDatabase, type DatabaseOverTcp } from "./database-over-tcp.ts";
import { testedImage } from "./global-setup.ts";

const builder = new Builder(inject("imageStore"));
const adminToken = randomBytes(32).toString("hex");

let database: TestDatabase;
let overTcp: DatabaseOverTcp;
let container: string;
let environment: Record<string, string>;
let server: ChildProcess;
let logLines: Record<string, unknown>[];

beforeAll(async () => {
  database = await createTestDatabase();
  overTcp = await startTcpDatabase(database.connectionString);
  container = await builder.from(testedImage);
  environment = {
    DATABASE_URL: overTcp.connectionString,
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CAUSEWAY_ADMIN_TOKEN: adminToken,
    CAUSEWAY_PORT: `${await closedPort()}`,
    CAUSEWAY_TOOLS_PORT: `${await closedPort()}`,
  };
});

afterAll(async () => {
  await overTcp[Symbol.asyncDispose]();
  await database.drop();
});

async function runInside(...command: readonly string[]): Promise<{ code: number; output: string }> {
  const child = builder.start(container, command, { environment });
  const closed = once(child, "close");
  if (child.stdout === null || child.stderr === null) throw new Error("It has no output.");
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number];
  return { code, output: printed.join("").trim() };
}

const healthCheck = ["node", "/usr/local/lib/causeway/bin/check-readiness.js"];

async function ask(path: string, body?: object, token = adminToken): Promise<Response> {
  return fetch(`http://127.0.0.1:${environment["CAUSEWAY_PORT"] ?? ""}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

it("runs as a user that may write to its data directory alone", async () => {
  const { output } = await runInside("sh", "-c", "id -u; touch x && echo written; pwd");
  expect(output.split("\n")).toEqual(["10001", "written", "/var/lib/causeway"]);
  const denied = await runInside("touch", "/usr/local/lib/causeway/x");
  expect(denied).toMatchObject({ code: 1, output: expect.stringContaining("Permission denied") });
});

it("says what is missing where no database is given", async () => {
  const { DATABASE_URL: _, ...others } = environment;
  const child = builder.start(container, ["causeway", "serve"], { environment: others });
  child.stdout?.resume();
  const closed = once(child, "close");
  expect(child.stderr && (await text(child.stderr))).toContain("DATABASE_URL");
  expect((await closed)[0]).not.toBe(0);
});

it("holds what its bill of materials says, and neither npm nor what develops it", async () => {
  const script = `
    const { readFileSync, readdirSync } = require("node:fs");
    const home = "/usr/local/lib/causeway/";
    const names = readdirSync(home + "node_modules").flatMap((name) =>
      name.startsWith("@") ? readdirSync(home + "node_modules/" + name).map((it) => name + "/" + it) : [name]);
    const { components } = JSON.parse(readFileSync(home + "sbom.cdx.json", "utf8"));
    const listed = components.map(({ group, name }) => (group ? group + "/" : "") + name);
    console.log(JSON.stringify({ names: names.filter((name) => !name.startsWith(".")), listed }));`;
  const { output } = await runInside("node", "--eval", script);
  const { names, listed } = JSON.parse(output) as { names: string[]; listed: string[] };
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed).not.toContain("vitest");
  expect((await runInside("sh", "-c", "command -v npm")).code).not.toBe(0);
});

it("is unhealthy before it serves", async () => {
  expect((await runInside(...healthCheck)).code).not.toBe(0);
});

it("serves, and is healthy", async () => {
  server = builder.start(container, ["causeway", "serve"], { environment });
  logLines = [];
  if (server.stderr === null || server.stdout === null) throw new Error("It has no output.");
  createInterface({ input: server.stderr }).on("line", (line) => {
    if (line.startsWith("{")) logLines.push(JSON.parse(line) as Record<string, unknown>);
  });
  const lines = createInterface({ input: server.stdout });
  const ready = new Set(["gateway", "tools"]);
  for await (const line of lines) {
    ready.delete(/^causeway (\w+) ready /.exec(line)?.[1] ?? "");
    if (ready.size === 0) break;
  }
  expect(await runInside(...healthCheck)).toMatchObject({ code: 0 });
  const tools = `http://127.0.0.1:${environment["CAUSEWAY_TOOLS_PORT"] ?? ""}/healthz`;
  expect((await fetch(tools)).status).toBe(200);
});

it("makes users and keys, and answers a key", async () => {
  const made = await ask("/v1/admin/users", { email: "first@example.org" });
  const { id } = (await made.json()) as { id: string };
  const key = await ask(`/v1/admin/users/${id}/keys`, { name: "first" });
  const { secret } = (await key.json()) as { secret: string };
  const models = await ask("/v1/models", undefined, secret);
  expect(models.status).toBe(200);
  expect(await models.json()).toMatchObject({ object: "list" });
});

it("drains and ends well when it is told to stop", async () => {
  const pid = Number(logLines[0]?.["pid"]);
  const closed = once(server, "close");
  process.kill(pid, "SIGTERM");
  expect((await closed)[0]).toBe(0);
  expect(logLines.at(-1)).toMatchObject({ msg: "stopped" });
});
