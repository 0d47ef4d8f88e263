import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newDataDirectory } from "../support/data-directory.ts";
import {
  json,
  openFakeUpstream,
  type FakeUpstream,
  type ReceivedRequest,
} from "../support/fake-upstream.ts";
import type { TestUser } from "../support/rest-client.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { StallingProxy } from "../support/stalling-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let upstream: FakeUpstream & { close(): Promise<void> };
let database: TestDatabase;
let proxy: StallingProxy;
let directory: string;
let server: ServerProcess;

beforeAll(async () => {
  const choices = [
    { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" },
  ];
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  upstream = await openFakeUpstream(
    json({ id: "c", object: "chat.completion", model: "up", choices, usage }),
  );
  database = await createTestDatabase();
  proxy = await StallingProxy.start(database.connectionString);
  directory = await newDataDirectory();
  const file = join(directory, "causeway.json");
  await writeFile(file, JSON.stringify(configurationFor(upstream.origin)));
  server = await startServer({
    databaseUrl: proxy.connectionString,
    environment: { CAUSEWAY_CONFIG: file },
  });
});
afterAll(async () => {
  await server.end();
  await proxy.close();
  await database.drop();
  await upstream.close();
  await rm(directory, { recursive: true, force: true });
});

/** `sold` is paid from the wallet, `bolt/own` with a linked credential. */
function configurationFor(origin: string) {
  const vendor = { base_url: `${origin}/v1`, auth: "bearer", dialects: ["dialect_chat"] };
  const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  return {
    vendors: {
      acme: { label: "Acme", models: ["acme-large"], ...vendor },
      bolt: { label: "Bolt", models: ["own"], ...vendor },
    },
    credits: {
      keys: { acme: "operator-key" },
      catalog: [{ id: "sold", vendor: "acme", model: "acme-large", ...prices }],
    },
  };
}

/** A user with a dollar and a linked credential, and a key of it. */
async function payer(): Promise<{ user: TestUser; key: string }> {
  const user = await server.createUser();
  const { secret: key } = await user.createKey({ scopes: ["gateway:invoke", "endpoints:write"] });
  await server.call("POST", `/v1/admin/users/${user.id}/credits`, {
    token: server.adminToken,
    body: { amount_usd: 1 },
  });
  const body = { api_key: "sk-own" };
  await server.call("PUT", "/v1/vendors/bolt/credential", { token: user.session, body });
  return { user, key };
}

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

function ask(path: string, key: string, model: string) {
  const messages = [{ role: "user", content: "Hello" }];
  const body = path.endsWith("responses") ? { input: "Hello" } : { messages, max_tokens: 20 };
  return server.call("POST", path, { token: key, body: { model, ...body } });
}

/** Ways in which a database goes away and comes back. */
const absences: readonly [string, () => Promise<void>, () => Promise<void>][] = [
  ["refuses connections", () => proxy.refuse(), () => proxy.accept()],
  ["hangs", () => Promise.resolve(proxy.freeze()), () => Promise.resolve(proxy.thaw())],
];

describe.each(absences)("while the database %s", (_name, goAway, comeBack) => {
  it("[away.reserve] calls that must reserve are 503 and reach no upstream, others are served", async () => {
    const { user, key } = await payer();
    const before = upstream.requests.length;
    for (const path of paths) {
      expect(await ask(path, key, "sold")).toMatchObject({ status: 200 });
      expect(await ask(path, key, "bolt/own")).toMatchObject({ status: 200 });
    }
    const sent = upstream.requests.length;

    await goAway();
    await Promise.all(paths.map((path) => expectUnavailable(path, key)));
    expect(upstream.requests).toHaveLength(sent);
    for (const path of paths) {
      expect(await ask(path, key, "bolt/own")).toMatchObject({ status: 200 });
    }

    await comeBack();
    await waitUntil(async () => (await ask(paths[0] ?? "", key, "sold")).status === 200, 30_000);
    // What was refused has cost nothing: only what was answered, 0.00002 each.
    const answered = upstream.requests.slice(before).filter(isPaid).length;
    const expected = (0.00002 * answered).toFixed(6);
    await waitUntil(async () => (await spent(user)).toFixed(6) === expected);
  });
});

async function spent({ session }: TestUser): Promise<number> {
  const { body } = await server.call("GET", "/v1/usage", { token: session });
  const costs = (body.data as { cost_usd: number }[]).map((row) => row.cost_usd);
  return costs.reduce((sum, cost) => sum + cost, 0);
}

function isPaid({ headers }: ReceivedRequest): boolean {
  return headers.authorization === "Bearer operator-key";
}

/** In the caller's dialect and within five seconds, to be repeated. */
async function expectUnavailable(path: string, key: string): Promise<void> {
  const startedAt = performance.now();
  const { status, headers, body } = await ask(path, key, "sold");
  const code = body.error.code ?? body.error.details.error_code;
  expect([path, status, code]).toEqual([path, 503, "unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeLessThan(5000);
}
