import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CausewayProcess, repository } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";
import { json, startFakeUpstream, type Script } from "../support/fake-upstream.ts";
import type { CallOptions } from "../support/rest-client.ts";
import {
  dataDirectoryForTest,
  startServerForTest,
  type ServerProcess,
} from "../support/server-process.ts";
import { createTestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";

vi.setConfig({ testTimeout: 120_000 });

describe("the log", () => {
  it("[start.logs] is JSON lines where stderr is no terminal", async () => {
    const { connectionString: databaseUrl } = await createTestDatabase();
    const environment = { CAUSEWAY_LOG_LEVEL: "trace" };
    const server = await startServerForTest({ databaseUrl, environment });
    await server.call("GET", "/v1/upstreams", { headers: { "x-request-id": "mine" } });
    const { stderr } = await server.stop();
    const lines = stderr.trimEnd().split("\n");
    const records = lines.map((line): unknown => JSON.parse(line));
    expect(records).toContainEqual(
      expect.objectContaining({
        level: 30,
        service: "causeway",
        request_id: "mine",
        method: "GET",
        route: "/v1/upstreams",
        status: 401,
        error: "unauthorized",
      }),
    );
    expect(records.at(-1)).toMatchObject({ msg: "stopped" });
  });

  it("is for people on a terminal", async () => {
    const { connectionString } = await createTestDatabase();
    const command = `${process.execPath} ${join(repository, "bin/causeway.js")} serve`;
    const child = CausewayProcess.start([], {
      command: ["script", "--quiet", "--return", "--command", command, "/dev/null"],
      environment: {
        DATABASE_URL: connectionString,
        CAUSEWAY_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
        CAUSEWAY_DATA_DIR: await dataDirectoryForTest(),
        CAUSEWAY_PORT: "0",
        CAUSEWAY_TOOLS_PORT: "0",
      },
    });
    onTestFinished(() => child.signalGroup("SIGKILL"));
    await child.line(/^causeway tools ready/);
    child.signal("SIGTERM");
    await child.ended();
    expect(child.stdout).toMatch(/\[\d\d:\d\d:\d\d\.\d+\].*INFO.*change feed/);
    expect(child.stdout).not.toContain('{"level"');
  });
});

describe("the ready lines", () => {
  it("need nobody who reads them", async () => {
    const { connectionString } = await createTestDatabase();
    const port = await closedPort();
    const child = spawn(
      process.execPath,
      [join(repository, "bin/causeway.js"), "serve", "gateway"],
      {
        env: {
          DATABASE_URL: connectionString,
          CAUSEWAY_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
          CAUSEWAY_DATA_DIR: await dataDirectoryForTest(),
          CAUSEWAY_PORT: `${port}`,
        },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdout.destroy();
    const ready = `http://127.0.0.1:${port}/readyz`;
    await waitUntil(
      () =>
        fetch(ready).then(
          ({ ok }) => ok,
          () => false,
        ),
      60_000,
    );
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

describe("a secret", () => {
  it("[identity.never-returned] is in no log, refusal, metric, document or table", async () => {
    const { connectionString: databaseUrl } = await createTestDatabase();
    const environment = { CAUSEWAY_LOG_LEVEL: "trace", CAUSEWAY_CONFIG: await configurationFile() };
    const server = await startServerForTest({ databaseUrl, environment });
    const { secrets, answers } = await useSecrets(server);
    secrets.push(server.adminToken, server.environment["CAUSEWAY_SECRET_KEY"] ?? "");
    secrets.push(new URL(databaseUrl).password);
    for (const path of ["/metrics", "/openapi.json", `${server.toolsUrl}/metrics`]) {
      const { status, body } = await server.call("GET", path);
      expect(status).toBe(200);
      answers.push(body);
    }
    await server.stop();
    const places = {
      log: server.process.stderr,
      output: server.process.stdout,
      answers: JSON.stringify(answers),
      tables: await dump(databaseUrl),
    };
    expect(secrets.filter((secret) => secret.length < 8)).toEqual([]);
    for (const [place, text] of Object.entries(places)) {
      expect([place, secrets.filter((secret) => text.includes(secret))]).toEqual([place, []]);
    }
  });
});

/** Puts a marked secret into every field that takes one, and provokes errors around them. */
async function useSecrets(server: ServerProcess): Promise<{
  secrets: string[];
  answers: unknown[];
}> {
  const upstreamKey = "sk-canary-upstream-7h3k";
  const vendorKey = "sk-canary-vendor-2m9x";
  const loginToken = "canary-login-token-5d1w";
  const headerValue = "canary-header-value-8s4q";
  const misplaced = "sk-canary-misplaced-6c2p";
  const talkative = await startFakeUpstream(echo);
  const user = await server.createUser("canary@example.org");
  const key = await user.createKey();
  const answers: unknown[] = [];
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const answer = await server.call(method, path, options);
    answers.push(answer.body, Object.fromEntries(answer.headers));
    return answer;
  };
  const token = user.session;
  const endpoint = {
    label: "Talkative",
    base_url: talkative.origin,
    api_key: upstreamKey,
    models: ["m1"],
    dialect: "dialect_chat",
  };

  // The owner of an endpoint may read its headers; a caller key gets them redacted.
  await server.call("POST", "/v1/upstreams", {
    token,
    body: { ...endpoint, headers: { "x-canary": headerValue } },
  });
  const reader = await user.createKey({ scopes: ["endpoints:read", "endpoints:write"] });
  await call("GET", "/v1/upstreams", { token: reader.secret });
  await call("POST", "/v1/upstreams/talkative/probe", { token: reader.secret });
  await call("POST", "/v1/upstreams", { token, body: { ...endpoint, api_key: [misplaced] } });
  await call("POST", "/v1/upstreams", { token, body: { ...endpoint, api_key: `${misplaced}\n` } });
  await call("GET", `/v1/upstreams?api_key=${misplaced}`, { token: reader.secret });
  await call("GET", `/v1/${misplaced}`, { token });
  await call("GET", "/v1/upstreams", { token: misplaced });
  await call("GET", "/v1/me", { headers: { cookie: `causeway_session=${misplaced}` } });
  await call("PUT", "/v1/vendors/talkative/credential", { token, body: { api_key: vendorKey } });
  await call("PUT", "/v1/vendors/code/credential", {
    token,
    body: { login: { access_token: loginToken, refresh_token: `${loginToken}-refresh` } },
  });
  for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) {
    for (const model of ["custom/talkative/m1", "talkative/m1", "code/m1"]) {
      await call("POST", path, { token: key.secret, body: { model, messages: [] } });
    }
  }
  const { code, linkCode } = await signInMail(server);
  await call("POST", "/v1/sign_in/finish", { body: { email: user.email, code: otherCode(code) } });
  const signedIn = await server.call("POST", "/v1/sign_in/finish", {
    body: { email: user.email, code },
  });
  expect(signedIn.status).toBe(201);
  return {
    answers,
    secrets: [
      upstreamKey,
      vendorKey,
      loginToken,
      headerValue,
      misplaced,
      code,
      linkCode,
      // What is shown of a key are its first ten characters.
      ...[key.secret, reader.secret, token, signedIn.body.token].map((text) => text.slice(10)),
    ],
  };
}

/** An upstream that tells everybody what it was sent. */
const echo: Script = (response, request) =>
  json({ error: { message: `Bad key in ${JSON.stringify(request.rawHeaders)}` } }, 401)(
    response,
    request,
  );

async function configurationFile(): Promise<string> {
  const file = join(await dataDirectoryForTest(), "causeway.json");
  const { origin } = await startFakeUpstream(echo);
  const vendor = {
    label: "Talkative",
    base_url: origin,
    dialects: ["dialect_chat", "dialect_messages", "dialect_responses"],
    models: ["m1"],
  };
  const vendors = {
    talkative: { ...vendor, auth: "bearer" },
    code: { ...vendor, auth: "login" },
  };
  await writeFile(file, JSON.stringify({ vendors }));
  return file;
}

/** The digits of the mail that lies in the outbox, and the code of its link. */
async function signInMail(server: ServerProcess): Promise<{ code: string; linkCode: string }> {
  const outbox = join(server.dataDirectory, "outbox");
  await server.call("POST", "/v1/sign_in", { body: { email: "canary@example.org" } });
  const mails = () => readdir(outbox).catch((): string[] => []);
  await waitUntil(async () => (await mails()).some((name) => name.endsWith(".eml")));
  const [name = ""] = await mails();
  const text = (await readFile(join(outbox, name), "utf8")).replaceAll("=\n", "");
  const [code = ""] = /^\d{8}$/m.exec(text) ?? [];
  const [, linkCode = ""] = /&code=(?:3D)?(\w{22})/.exec(text) ?? [];
  return { code, linkCode };
}

/** Every row of every table as text. */
async function dump(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const rows: string[] = [];
  for (const { name } of tables.rows) {
    const all = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    rows.push(...all.rows.map(({ row }) => row));
  }
  await client.end();
  expect(rows.length).toBeGreaterThan(10);
  return rows.join("\n");
}

function otherCode(code: string): string {
  return code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
}
