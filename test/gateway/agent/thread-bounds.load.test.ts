import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { execute } from "../../support/test-database.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const tooLarge = { error: "request_too_large" };

/** A thread `t` of one turn with a message of which an unknown member has so many values. */
async function startThread(values: number) {
  const caller = await startAgentCaller(causeway);
  caller.upstream.play(scriptedOutput("dialect_chat", { text: "Yes." }));
  const message = { role: "user", content: "Hello", x: Array<number>(values).fill(0) };
  const ask = async (input: unknown) => {
    const headers = { "x-svc-session": "t" };
    const made = caller.openai.post("/responses", { body: { model: "agent", input }, headers });
    return made.then(
      () => 200,
      ({ status, error }: { status: number; error: unknown }) => ({ status, error }),
    );
  };
  expect(await ask([message])).toBe(200);
  const show = () => caller.call("GET", "/v1/agent/threads/t");
  return { ask, show, accountId: caller.user.id };
}

describe("a thread of more than 400,000 JSON values", () => {
  it("is not gone on with", async () => {
    const { ask } = await startThread(210_000);
    expect(await ask("More")).toMatchObject({ status: 413, error: { code: "request_too_large" } });
  });
});

describe("a thread of more than 32 MiB", () => {
  it("is not loaded to be shown", async () => {
    const { show, accountId } = await startThread(1);
    const grow = `update "turns" set "content" = "content" || repeat('x', 46000000)
      where "account_id" = '${accountId}'`;
    await execute(causeway.connectionString, grow);
    const reply = await show();
    expect(reply.status).toBe(413);
    expect(reply.body).toMatchObject(tooLarge);
  });
});
