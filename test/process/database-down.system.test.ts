import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { generateCredentialToken } from "../../src/platform/crypto/token.ts";
import type { CallOptions, RestResponse, TestUser } from "../support/rest-client.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { StallingProxy } from "../support/stalling-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";
import { openStream, registerUpstream, startEndlessUpstream } from "./support/streaming-caller.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let database: TestDatabase;
let proxy: StallingProxy;
let server: ServerProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await StallingProxy.start(database.connectionString);
  server = await startServer({ databaseUrl: proxy.connectionString });
});
afterAll(async () => {
  await server.end();
  await proxy.close();
  await database.drop();
});

/** Ways in which a database goes away and comes back. */
const absences: readonly [string, () => Promise<void>, () => Promise<void>][] = [
  ["refuses connections", () => proxy.refuse(), () => proxy.accept()],
  ["hangs", () => Promise.resolve(proxy.freeze()), () => Promise.resolve(proxy.thaw())],
];

describe.each(absences)("while the database %s", (_name, goAway, comeBack) => {
  let user: TestUser;
  let key: string;
  beforeEach(async () => {
    // What is read while the feed comes back is not kept, and would be missed without the database.
    await waitUntil(async () => (await changeFeedTrusted()) === 1);
    user = await server.createUser();
    key = (await user.createKey()).secret;
  });

  it("[away.recovers] [away.cached] refuses what needs it in time, serves what does not, and recovers by itself", async () => {
    const upstream = await startEndlessUpstream();
    const model = await registerUpstream(server.call, user, upstream);
    await openStream(server.url, key, model);
    const unknownKey = generateCredentialToken("cwk");

    await goAway();
    await Promise.all([
      expectUnavailable("GET", "/v1/upstreams", { token: user.session }),
      expectUnavailable("POST", "/v1/upstreams", {
        token: user.session,
        body: { label: "New", base_url: upstream.fake.origin, api_key: "sk-new" },
      }),
      expectUnavailable("GET", "/v1/admin/users", { token: server.adminToken }),
      expectUnavailable("GET", "/v1/upstreams", { token: unknownKey }),
      expectUnavailable("POST", "/v1/sign_in", { body: { email: "ada@example.org" } }),
      expectUnavailable("POST", "/v1/chat/completions", { token: unknownKey, body: { model } }),
      expectUnavailable("POST", "/v1/responses", {
        token: key,
        body: { model, input: "go on", previous_response_id: "resp_x" },
      }),
      expectUnavailable("POST", "/v1/responses", {
        token: key,
        body: { model, input: [{ type: "item_reference", id: "msg_x" }] },
      }),
    ]);
    expect((await openStream(server.url, key, model)).status).toBe(200);
    expect((await server.call("GET", "/healthz")).status).toBe(200);
    expect((await server.call("GET", "/readyz")).status).toBe(503);
    await waitUntil(async () => (await changeFeedTrusted()) === 0);

    await comeBack();
    await waitUntil(async () => (await server.call("GET", "/readyz")).status === 200);
    expect((await server.call("GET", "/v1/upstreams", { token: user.session })).status).toBe(200);
    expect((await server.call("GET", "/v1/upstreams", { token: unknownKey })).status).toBe(401);
    expect((await openStream(server.url, key, model)).status).toBe(200);
  });

  it("gives an answer that cannot be kept all the same, and warns of it", async () => {
    const choices = [{ index: 0, message: { role: "assistant", content: "Yes" } }];
    const upstream = await startFakeUpstream(json({ id: "c", object: "chat.completion", choices }));
    const model = await registerUpstream(server.call, user, { fake: upstream });
    const ask = { token: key, body: { model, input: "Is it there?" } };
    expect((await server.call("POST", "/v1/responses", ask)).status).toBe(200);
    await goAway();
    const { status, body } = await server.call("POST", "/v1/responses", ask);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { output: [{ content: [{ text: "Yes" }] }] },
    });
    await server.process.logLine(/"level":40,.*"msg":"an answer could not be kept"/);
    expect(server.process.stderr).not.toContain("unforeseen error");
    await waitUntil(async () => (await changeFeedTrusted()) === 0);
    await comeBack();
    await waitUntil(async () => (await server.call("GET", "/readyz")).status === 200);
  });
});

/** A refusal of the catalogue, within five seconds; never 401, which would tell a caller that its key is bad. */
async function expectUnavailable(
  method: string,
  path: string,
  options: CallOptions,
): Promise<void> {
  const startedAt = performance.now();
  const answer = await server.call(method, path, options);
  expect([method, path, answer.status, codeOf(answer)]).toEqual([method, path, 503, "unavailable"]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeLessThan(5000);
}

async function changeFeedTrusted(): Promise<number> {
  const { body } = await server.call("GET", "/metrics");
  return Number(/^causeway_change_feed_trusted (\d)$/m.exec(body)?.[1]);
}

function codeOf({ body }: RestResponse): unknown {
  return typeof body.error === "object" ? body.error.code : body.error;
}
