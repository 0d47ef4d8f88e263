/** Calls that continue from a response whose turn has not ended. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, startCaller, waitUntilEnded } from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const refusal = {
  status: 400,
  param: "previous_response_id",
  code: "invalid_request",
  message: expect.stringContaining("has not finished") as unknown,
};

/** A caller with a background response that runs. */
async function startRunning(dialect: "dialect_chat" | "dialect_messages" = "dialect_chat") {
  const caller = await startCaller(causeway, dialect);
  const stream = pausedStream();
  caller.upstream.play(stream.script);
  const running = await caller.openai.responses.create({ model, input: "Hi?", background: true });
  await stream.begun;
  return { ...caller, stream, id: running.id };
}

describe("a response that has not finished", () => {
  it.each([
    ["an ordinary call", { model }],
    ["a call in the background", { model, background: true }],
    ["an agent", { model: "agent" }],
  ])("is refused as `previous_response_id` of %s until it has", async (_what, body) => {
    const { openai, upstream, stream, id } = await startRunning();
    const again = () =>
      openai.responses.create({ ...body, input: "And?", previous_response_id: id });
    await expect(again()).rejects.toMatchObject(refusal);
    stream.say("Hello.");
    stream.end();
    expect((await waitUntilEnded(openai, id)).status).toBe("completed");
    const next = pausedStream();
    upstream.play(next.script);
    const answer = again();
    await next.begun;
    next.say("Well.");
    next.end();
    expect((await answer).previous_response_id ?? id).toBe(id);
  });

  it("is refused where the tokens of a call are counted", async () => {
    const { call, stream, id } = await startRunning();
    const counted = await call("POST", "/v1/responses/input_tokens", {
      model,
      input: "And?",
      previous_response_id: id,
    });
    expect(counted).toMatchObject({ status: 400 });
    expect(counted.body).toMatchObject({ error: { param: "previous_response_id" } });
    expect(JSON.stringify(counted.body)).toContain("has not finished");
    stream.end();
  });

  it("does not exist for another account", async () => {
    const { stream, id } = await startRunning();
    const { openai } = await startCaller(causeway);
    const asked = openai.responses.create({ model, input: "And?", previous_response_id: id });
    await expect(asked).rejects.toMatchObject({ code: "previous_response_not_found" });
    stream.end();
  });
});
