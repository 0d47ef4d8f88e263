import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, scriptedOutput, startAgentCaller } from "../agent/agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

async function start() {
  const caller = await startAgentCaller(causeway);
  caller.upstream.play(scriptedOutput("dialect_chat", { text: "Said." }));
  return caller;
}

/** A message of which an unknown member has so many values. */
function denseMessage(id: string, values: number) {
  return { type: "message", id, role: "user", content: "Hello", x: Array(values).fill(0) };
}

describe("stored responses of more than 400,000 JSON values together", () => {
  it("are rejected with 413 when one call refers to them", async () => {
    const { call, bodies } = await start();
    let previous: string | null = null;
    for (const id of ["msg_1", "msg_2", "msg_3"]) {
      const input = [denseMessage(id, 150_000)];
      const reply = await call("POST", "/v1/responses", {
        model,
        input,
        previous_response_id: previous,
      });
      expect(reply.status).toBe(200);
      previous = (reply.body as { id: string }).id;
    }
    const asked = bodies().length;
    const references = ["msg_1", "msg_2", "msg_3"].map((id) => ({ type: "item_reference", id }));
    const cases = [
      ["/v1/responses", { input: references }, "input"],
      ["/v1/responses", { input: references, background: true }, "input"],
      ["/v1/responses", { input: "On", previous_response_id: previous }, "previous_response_id"],
      ["/v1/responses/input_tokens", { input: references }, "input"],
    ] as const;
    for (const [path, members, param] of cases) {
      const reply = await call("POST", path, { model, ...members });
      expect([reply.status, reply.body]).toMatchObject([
        413,
        { error: { code: "request_too_large", param } },
      ]);
    }
    expect(bodies()).toHaveLength(asked);
  });
});

describe("an item with an id of more than 256 characters", () => {
  const id = Array.from({ length: 3000 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join(
    "",
  );
  const item = { type: "message", id, role: "user", content: "Hello" };

  it.each([false, true])("is stored, background: %s", async (background) => {
    const { call, openai } = await start();
    const made = await call("POST", "/v1/responses", { model, input: [item], background });
    expect(made.status).toBe(200);
    const { id: response } = made.body as { id: string };
    await expect
      .poll(async () => (await openai.responses.retrieve(response)).status, { timeout: 20_000 })
      .toBe("completed");
    const list = await openai.responses.inputItems.list(response);
    expect(list.data).toMatchObject([{ id }]);
    const goesOn = { model, input: "On", previous_response_id: response };
    expect((await call("POST", "/v1/responses", goesOn)).status).toBe(200);
  });

  it("cannot be referred to", async () => {
    const { call } = await start();
    await call("POST", "/v1/responses", { model, input: [item] });
    const reference = { type: "item_reference", id };
    const reply = await call("POST", "/v1/responses", { model, input: [reference] });
    expect([reply.status, reply.body]).toMatchObject([400, { error: { param: "input[0]" } }]);
  });
});
