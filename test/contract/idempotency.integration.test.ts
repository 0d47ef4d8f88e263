/** `Idempotency-Key` from outside. */
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";

let causeway: TestInstance;
let upstream: LoopbackUpstream;

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m"]);
  causeway = await startTestInstance();
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

describe("createUser with an Idempotency-Key", () => {
  it("[idempotency.where] makes one user and gives its answer again", async () => {
    const body = { email: "ada@example.org", name: "Ada" };
    const [first, again] = [await createUser("k1", body), await createUser("k1", body)];
    expect(first).toMatchObject({ status: 201, body: { object: "user", ...body } });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  });

  it("[idempotency.other-body] is 400 with another body", async () => {
    await createUser("k2", { email: "bob@example.org" });
    const other = await createUser("k2", { email: "eve@example.org" });
    expect(other).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "Idempotency-Key" },
    });
  });

  it("[retry.409] [idempotency.running] runs once of many at the same time; the others hear that it runs, or its answer", async () => {
    const body = { email: "carl@example.org" };
    const answers = await Promise.all(Array.from({ length: 12 }, () => createUser("k3", body)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThanOrEqual(1);
    expect(new Set(made.map((answer) => answer.body.id)).size).toBe(1);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });
      expect(refused.headers.get("x-should-retry")).toBe("false");
    }
  });

  it("[idempotency.refused] keeps no refusal", async () => {
    await createUser("k4", { email: "not an address" });
    const corrected = await createUser("k4", { email: "dora@example.org" });
    expect(corrected.status).toBe(201);
    const known = { email: "ada@example.org" };
    expect([
      (await createUser("k5", known)).status,
      (await createUser("k5", known)).status,
    ]).toEqual([409, 409]);
  });

  it.each([
    ["no character", ""],
    ["256 characters", "k".repeat(256)],
  ])("[idempotency.length] needs 1 to 255 characters and is refused with %s", async (_, key) => {
    expect(await createUser(key, { email: "frank@example.org" })).toMatchObject({
      status: 400,
      body: { param: "Idempotency-Key" },
    });
  });
});

describe("createUpstream with an Idempotency-Key", () => {
  it.each([
    ["Connect", createConnectTransport],
    ["gRPC", createGrpcTransport],
    ["gRPC-web", createGrpcWebTransport],
  ])(
    "[start.one-port] [idempotency.kept] gives its answer again over %s",
    async (_name, createTransport) => {
      const user = await causeway.createUser();
      const first = await createUpstream(user, "k1");
      const transport = createTransport({ baseUrl: causeway.url, httpVersion: "2" });
      const again = await createClient(UpstreamService, transport).createUpstream(
        { label: "Local", baseUrl: upstream.baseUrl, apiKey: "sk-secret" },
        { headers: { authorization: `Bearer ${user.session}`, "idempotency-key": "k1" } },
      );
      const { slug, models } = first.body.upstream;
      expect(again.upstream).toMatchObject({ slug, models });
      const list = await causeway.call("GET", "/v1/upstreams", { token: user.session });
      expect(list.body.data).toHaveLength(1);
    },
  );

  it("[idempotency.scope] belongs to one account and one operation", async () => {
    const [ada, bob] = [await causeway.createUser(), await causeway.createUser()];
    await createUpstream(ada, "shared");
    expect((await createUpstream(bob, "shared")).status).toBe(201);
    const { body } = await causeway.call("GET", "/v1/upstreams", { token: bob.session });
    expect(body.data).toHaveLength(1);
    expect((await createUser("shared", { email: "gil@example.org" })).status).toBe(201);
  });

  it("does not give a caller key the answer of a session, which shows header values", async () => {
    const user = await causeway.createUser();
    await createUpstream(user, "seen");
    const { secret } = await user.createKey({ scopes: ["endpoints:write"] });
    expect(await createUpstream({ ...user, session: secret }, "seen")).toMatchObject({
      status: 400,
      body: { param: "Idempotency-Key" },
    });
  });

  it("[idempotency.kept] keeps its answer sealed", async () => {
    const user = await causeway.createUser();
    const { body } = await createUpstream(user, "sealed");
    const rows = await select("select * from idempotency_records");
    const kept = JSON.stringify(rows);
    expect(kept).toContain(user.id);
    expect(kept).not.toContain(body.upstream.slug);
    expect(kept).not.toContain(Buffer.from(body.upstream.slug).toString("base64").slice(0, 6));
    expect(kept).not.toContain("sk-secret");
  });
});

describe("operations whose answer holds a new secret", () => {
  it("[idempotency.secrets] do not take one", async () => {
    const { session: token } = await causeway.createUser();
    const headers = { "idempotency-key": "k1" };
    const make = async () => {
      const answer = await causeway.call("POST", "/v1/keys", { token, body: {}, headers });
      return answer.body.secret as string;
    };
    expect(await make()).not.toBe(await make());
  });
});

function createUser(key: string, body: unknown): Promise<RestAnswer> {
  const headers = { "idempotency-key": key };
  return causeway.call("POST", "/v1/admin/users", { token: causeway.adminToken, body, headers });
}

function createUpstream({ session: token }: TestUser, key: string): Promise<RestAnswer> {
  const body = { label: "Local", base_url: upstream.baseUrl, api_key: "sk-secret" };
  return causeway.call("POST", "/v1/upstreams", {
    token,
    body,
    headers: { "idempotency-key": key },
  });
}

async function select(sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: causeway.connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
