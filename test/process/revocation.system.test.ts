import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { endOf, openAliasStream } from "../alias/alias-stream.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { StallingProxy } from "../support/stalling-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Two processes on one database; the second reaches it through the proxy. */
let database: TestDatabase;
let proxy: StallingProxy;
let first: ServerProcess;
let second: ServerProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await StallingProxy.start(database.connectionString);
  first = await startServer({ databaseUrl: database.connectionString });
  second = await startServer({
    databaseUrl: proxy.connectionString,
    environment: {
      CAUSEWAY_SECRET_KEY: first.environment["CAUSEWAY_SECRET_KEY"] ?? "",
      CAUSEWAY_ADMIN_TOKEN: first.adminToken,
    },
  });
});
afterAll(async () => {
  await second.end();
  await first.end();
  await proxy.close();
  await database.drop();
});

it("[away.revoked] refuses a revoked key in every process within a second", async () => {
  const key = await keyInUse();
  await key.revoke();
  expect(await millisecondsUntilRefused(first, key.secret)).toBeLessThan(1000);
  expect(await millisecondsUntilRefused(second, key.secret)).toBeLessThan(1000);
});

it("[streams.credential] ends the streams of a revoked key in every process within a second", async () => {
  const key = await keyInUse();
  const streams = [
    await openAliasStream(first.url, key.secret),
    await openAliasStream(second.url, key.secret),
  ];
  await key.revoke();
  for (const stream of streams) {
    expect(await endOf(stream)).toMatchObject({ code: Code.PermissionDenied });
  }
});

it("[streams.most] counts the streams of a key over all processes", async () => {
  const key = await keyInUse();
  for (let pair = 0; pair < 8; pair += 1) {
    await openAliasStream(first.url, key.secret);
    await openAliasStream(second.url, key.secret);
  }
  for (const { url } of [first, second]) {
    await expect(openAliasStream(url, key.secret)).rejects.toMatchObject({
      code: Code.ResourceExhausted,
    });
  }
});

it("does so in a process that hears no notifications any more", async () => {
  const key = await keyInUse();
  proxy.deaf = true;
  const stream = await openAliasStream(second.url, key.secret);
  await second.process.logLine(/"from":"live","to":"silent"/);
  await key.revoke();
  expect(await millisecondsUntilRefused(second, key.secret)).toBeLessThan(1000);
  expect(await endOf(stream)).toMatchObject({ code: Code.PermissionDenied });
  proxy.deaf = false;
});

it("does so when the key was revoked while a process had no connection", async () => {
  const key = await keyInUse();
  await proxy.refuse();
  await key.revoke();
  expect(await millisecondsUntilRefused(first, key.secret)).toBeLessThan(1000);
  await proxy.accept();
  await waitUntil(async () => (await second.call("GET", "/readyz")).status === 200);
  expect(await millisecondsUntilRefused(second, key.secret)).toBeLessThan(1000);
});

/** A key that both processes have in memory. */
async function keyInUse(): Promise<{ secret: string; revoke: () => Promise<void> }> {
  const user = await first.createUser();
  const { id, secret } = await user.createKey({ scopes: ["gateway:invoke", "endpoints:read"] });
  await expectLive(first, secret);
  await expectLive(second, secret);
  const revoke = async (): Promise<void> => {
    const answer = await first.call("DELETE", `/v1/keys/${id}`, { token: user.session });
    expect(answer.status).toBe(200);
  };
  return { secret, revoke };
}

/** A key that is let in gets as far as its endpoint, which it does not have. */
async function expectLive(server: ServerProcess, secret: string): Promise<void> {
  expect(await codeOfCall(server, secret)).toBe("no_custom_upstream");
}

async function millisecondsUntilRefused(server: ServerProcess, secret: string): Promise<number> {
  const startedAt = performance.now();
  await waitUntil(async () => (await codeOfCall(server, secret)) === "insufficient_scope");
  return performance.now() - startedAt;
}

async function codeOfCall(server: ServerProcess, token: string): Promise<unknown> {
  const body = { model: "custom/none/m1", messages: [] };
  const answer = await server.call("POST", "/v1/chat/completions", { token, body });
  return answer.body.error.code;
}
