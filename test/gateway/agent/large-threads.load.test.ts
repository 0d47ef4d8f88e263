/** Threads that are too large for a model call. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

it("refuses a turn whose thread has more values than are parsed as too large", async () => {
  const { call, upstream } = await startAgentCaller(causeway);
  upstream.play(scriptedOutput("dialect_chat", { text: "Yes." }));
  const input = [{ role: "user", content: "", x: Array<number>(210_000).fill(0) }];
  const first = await call("POST", "/v1/responses", { model: "agent", input });
  expect(first.status).toBe(200);
  const { id: previous_response_id } = first.body as { id: string };
  const next = { model: "agent", input, previous_response_id };
  const second = await call("POST", "/v1/responses", next);
  expect(second.status).toBe(413);
  expect(second.body).toMatchObject({ error: { code: "request_too_large" } });
});
