import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import {
  CausewayProcess,
  repository,
  runCauseway,
  type Outcome,
} from "../support/causeway-process.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { dataDirectoryForTest, startServerForTest } from "../support/server-process.ts";
import { createEmptyDatabase, createTestDatabase } from "../support/test-database.ts";

vi.setConfig({ testTimeout: 120_000 });

const models = json({ object: "list", data: [{ id: "m1", object: "model" }] });

it("[start.npm] takes a newcomer from nothing to a probed endpoint, in an empty directory", async () => {
  const upstream = await startFakeUpstream(models);
  const server = await startServerForTest({
    databaseUrl: (await createTestDatabase()).connectionString,
  });
  const directory = await dataDirectoryForTest();
  const run = async (words: string, environment: Record<string, string>): Promise<Outcome> =>
    runCauseway(words.split(" "), {
      directory,
      environment: { CAUSEWAY_URL: server.url, ...environment },
    });
  const asOperator = { CAUSEWAY_ADMIN_TOKEN: server.adminToken };

  const user = await run("users create --email ada@example.org --json", asOperator);
  const { id } = JSON.parse(user.stdout);
  const scopes = "--scopes endpoints:read --scopes endpoints:write";
  const made = await run(`user-keys create ${id} --name laptop ${scopes} --json`, asOperator);
  const asCaller = { CAUSEWAY_KEY: JSON.parse(made.stdout).secret };
  const endpoint = `--label Local --base-url ${upstream.origin} --api-key sk-local`;
  expect((await run(`upstreams create ${endpoint}`, asCaller)).code).toBe(0);
  const list = await run("upstreams list", asCaller);
  expect(list.stdout).toMatch(
    /^slug +label +base_url .*\nlocal +Local +http:\/\/127\.0\.0\.1:\d+ /,
  );
  const probe = await run("upstreams probe local --json", asCaller);
  expect(JSON.parse(probe.stdout)).toMatchObject({ probe: { ok: true, models_found: 1 } });

  const refused = await run("upstreams probe remote", asCaller);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^not_found: /);
});

it("[start.serve] runs by npx, whatever Node the shell finds first", async () => {
  const child = CausewayProcess.start(["upstreams", "--help"], { command: ["npx", "causeway"] });
  expect(await child.ended()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Registers an endpoint"),
  });
});

it("[environment.rewrap] [turns.at-rest] moves what is sealed to a new key, which then serves alone", async () => {
  const upstream = await startFakeUpstream(models);
  const databaseUrl = (await createTestDatabase()).connectionString;
  const [oldKey, newKey] = [secretKey(), secretKey()];
  const settings = (keys: string) => ({ DATABASE_URL: databaseUrl, CAUSEWAY_SECRET_KEY: keys });
  const first = await startServerForTest({ databaseUrl, environment: settings(oldKey) });
  const user = await first.createUser();
  const token = user.session;
  const body = { label: "Sealed", base_url: upstream.origin, api_key: "sk-sealed" };
  await first.call("POST", "/v1/upstreams", { token, body });
  const { secret } = await user.createKey();
  const turn = await first.call("POST", "/v1/responses", {
    token: secret,
    body: { model: "custom/sealed/m", input: "hello", background: true },
  });
  await first.stop();

  const environment = settings(`${newKey},${oldKey}`);
  const rewrap = await runCauseway(["keys", "rewrap"], { environment });
  expect(rewrap).toMatchObject({ code: 0, stderr: "" });
  expect(rewrap.stdout).toMatch(/^upstreams\.\w+: 1 of 1 moved$/m);
  expect(rewrap.stdout).toMatch(/^turns\.content: 1 of 1 moved$/m);
  const again = await runCauseway(["keys", "rewrap"], { environment });
  expect(again.stdout).toMatch(/^upstreams\.\w+: 0 of 1 moved$/m);

  const second = await startServerForTest({ databaseUrl, environment: settings(newKey) });
  const answer = await second.call("POST", "/v1/upstreams/sealed/probe", { token });
  expect(answer.body).toMatchObject({ probe: { ok: true } });
  expect(upstream.requests.at(-1)?.headers.authorization).toBe("Bearer sk-sealed");
  const path = `/v1/responses/${turn.body.id}?stream=true&starting_after=0`;
  const replay = await second.call("GET", path, { token: secret });
  expect(replay.body).toMatch(/^event: response\.queued\n/);
});

it("brings an empty database up to date, and leaves one that is", async () => {
  const environment = {
    DATABASE_URL: (await createEmptyDatabase()).connectionString,
    CAUSEWAY_SECRET_KEY: secretKey(),
  };
  const first = await runCauseway(["database", "migrate"], { environment });
  expect(first).toMatchObject({ code: 0, stdout: "The database is up to date.\n" });
  expect(first.stderr).toContain("0001-change-notification");
  const second = await runCauseway(["database", "migrate"], { environment });
  expect(second).toMatchObject({ code: 0, stdout: "The database is up to date.\n", stderr: "" });
});

it("ends without a word when nobody reads its output any more", async () => {
  const words = [`${repository}/bin/causeway.js`, "--help"];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const told = text(child.stderr);
  const [code] = await once(child, "close");
  expect({ code, told: await told }).toEqual({ code: 141, told: "" });
});

function secretKey(): string {
  return randomBytes(32).toString("base64");
}
