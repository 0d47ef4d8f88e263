import { request, type ClientRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { execute } from "../../support/test-database.ts";
import { insertTeam } from "../../support/team-rows.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, startCaller, waitUntilEnded } from "../turn/background-caller.ts";
import { scriptedOutput, startAgentCaller } from "../agent/agent-caller.ts";

let causeway: TestInstance;
const statements: string[] = [];

/** An account may hold a quarter, 2 MiB. */
beforeAll(async () => {
  causeway = await startTestInstance({
    file: { limits: { held_bodies_mib: 8, max_body_mib: 1 } },
    statementObserver: (sql) => void statements.push(sql),
  });
});

afterAll(() => causeway.close());

const input = "Hello?";
const largeText = "x".repeat(600_000);
const message = { role: "assistant", content: "Hello." };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const whole = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage,
};

/** A body of 1 MiB whose last bytes never come. */
function startUpload({ secret }: { readonly secret: string }): ClientRequest {
  const upload = request(`${causeway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-length": 1_040_000 },
  });
  upload.on("error", () => undefined);
  upload.on("response", () => upload.destroy());
  upload.write("x".repeat(1_030_000));
  return upload;
}

/** Waits for 429 while an upload of the caller is held. */
async function expectRefusedBehindUpload(
  caller: { readonly secret: string },
  statusOf: () => Promise<number>,
): Promise<void> {
  let upload = startUpload(caller);
  const refused = async (): Promise<number> => {
    const status = await statusOf();
    // A load that was under way when the upload began has had the upload refused instead.
    if (upload.destroyed) upload = startUpload(caller);
    return status;
  };
  await expect.poll(refused, { timeout: 20_000 }).toBe(429);
  upload.destroy();
}

describe("a large stored response", () => {
  it("counts in the memory of its account for each request that loads it", async () => {
    const caller = await startCaller(causeway);
    caller.upstream.play(json(whole));
    const { id } = await caller.openai.responses.create({ model, input });
    const grow = `update "kept_responses" set "content" = "content" || repeat('x', 2000000)
      where "id" = '${id}'`;
    await execute(causeway.connectionString, grow);
    for (const path of [`/v1/responses/${id}`, `/v1/responses/${id}?stream=true`]) {
      await expectRefusedBehindUpload(caller, async () => (await caller.call("GET", path)).status);
    }
    expect((await caller.call("DELETE", `/v1/responses/${id}`)).status).toBe(200);
  });
});

describe("a large thread", () => {
  it("counts in the memory of its account while it is shown", async () => {
    const caller = await startAgentCaller(causeway);
    caller.upstream.play(scriptedOutput("dialect_chat", { text: "Hello." }));
    const headers = { "x-svc-session": "t" };
    await caller.openai.responses.create({ model: "agent", input }, { headers });
    const grow = `update "turns" set "content" = "content" || repeat('x', 2000000)
      where "account_id" = '${caller.user.id}'`;
    await execute(causeway.connectionString, grow);
    const statusOf = async () => (await caller.call("GET", "/v1/agent/threads/t")).status;
    await expectRefusedBehindUpload(caller, statusOf);
  });
});

describe("a page of items", () => {
  it("counts in the memory of the account that lists its own items or a pool", async () => {
    const caller = await startCaller(causeway);
    const { id: owner, session } = caller.user;
    const team = await insertTeam(causeway.connectionString, [{ userId: owner, role: "owner" }]);
    await execute(
      causeway.connectionString,
      `insert into "items" ("id", "account_id", "kind", "text", "tools", "content_revision", "created_at", "updated_at")
       select '${owner}_' || n, '${owner}', 'rules', repeat('x', 200000), '{}', 0, now(), now() from generate_series(1, 8) n`,
    );
    await execute(
      causeway.connectionString,
      `insert into "pooled_items" ("account_id", "item_id", "owner_id", "pooled_at")
       select '${team}', "id", "account_id", now() from "items" where "account_id" = '${owner}'`,
    );
    const statusOf = async (path: string) =>
      (await causeway.call("GET", path, { token: session })).status;
    for (const path of ["/v1/items", `/v1/teams/${team}/items`]) {
      await expectRefusedBehindUpload(caller, () => statusOf(path));
      await expect.poll(() => statusOf(path), { timeout: 10_000 }).toBe(200);
    }
  });
});

describe("stored responses of many JSON values", () => {
  it("count in the memory of the account whose call refers to them", async () => {
    const caller = await startCaller(causeway);
    caller.upstream.play(json(whole));
    const message = { role: "user", content: input, x: Array<number>(12_000).fill(0) };
    const made = await caller.call("POST", "/v1/responses", { model, input: [message] });
    const previous = (made.body as { id: string }).id;
    const next = { model, input: [message], previous_response_id: previous };
    const reply = await caller.call("POST", "/v1/responses", next);
    expect([reply.status, reply.body]).toMatchObject([
      413,
      { error: { code: "request_too_large" } },
    ]);
  });
});

describe("a large response that was made in the background", () => {
  it("is not loaded for its input or its stream", async () => {
    const caller = await startCaller(causeway);
    caller.upstream.play(scriptedOutput("dialect_chat", { text: largeText }));
    const { id } = await caller.openai.responses.create({ model, input, background: true });
    await waitUntilEnded(caller.openai, id);
    for (const path of ["input_items", "?stream=true&starting_after=999999"]) {
      statements.length = 0;
      const separator = path.startsWith("?") ? "" : "/";
      const reply = await caller.call("GET", `/v1/responses/${id}${separator}${path}`);
      expect(reply.status).toBe(200);
      expect(statements.filter((sql) => /"response"|"kept_responses"/.test(sql))).toEqual([]);
    }
    const retrieved = await caller.openai.responses.retrieve(id);
    expect(retrieved.output_text).toHaveLength(largeText.length);
  });
});
