import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RestResponse } from "../../support/rest-client.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import {
  model,
  scriptedOutput,
  startAgentCaller,
  type AgentCaller,
} from "../agent/agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({ file: { agents: { fast: { instructions: "Be brief." } } } });
});

afterAll(() => causeway.close());

const nul = "resp_a\0b";
const half = "resp_a\ud800b";

function codeOf({ body }: RestResponse): unknown {
  const { error } = body as { error?: { code?: unknown; param?: unknown } };
  return { code: error?.code, param: error?.param };
}

async function start(): Promise<AgentCaller> {
  const caller = await startAgentCaller(causeway);
  caller.upstream.play(scriptedOutput("dialect_chat", { text: "Said." }));
  return caller;
}

describe("an id in the path that PostgreSQL cannot store", () => {
  it.each([
    ["GET", ""],
    ["GET", "?stream=true"],
    ["DELETE", ""],
    ["POST", "/cancel"],
    ["GET", "/input_items"],
  ])("is not found by %s /v1/responses/{id}%s", async (method, rest) => {
    const { call } = await start();
    const answer = await call(method, `/v1/responses/resp_a%00b${rest}`);
    expect(answer.status).toBe(404);
    expect(codeOf(answer)).toMatchObject({ code: "not_found" });
  });
});

describe("an id in a body that PostgreSQL cannot store", () => {
  const message = { role: "user", content: "Hello" };
  const previous = (id: string) => ({
    body: { input: "Hello", previous_response_id: id },
    param: "previous_response_id",
  });
  const item = (id: string) => ({
    body: { input: [{ type: "item_reference", id }, message] },
    param: "input[0]",
  });
  const lanes: readonly [lane: string, path: string, members: object][] = [
    ["a translated call", "/v1/responses", { model }],
    ["a call in the background", "/v1/responses", { model, background: true }],
    ["a call that compacts", "/v1/responses/compact", { model }],
    ["the agent", "/v1/responses", { model: "agent" }],
  ];
  const references = [previous(nul), previous(half), item(nul), item(half)];
  const cases = lanes.flatMap(([lane, path, members]) =>
    references.map(({ body, param }) => ({ lane, path, body: { ...members, ...body }, param })),
  );

  it.each(cases)("is rejected with its param by $lane: $body", async ({ path, body, param }) => {
    const { call } = await start();
    const answer = await call("POST", path, body);
    expect([answer.status, codeOf(answer)]).toEqual([
      400,
      // The agent names the list, and not the place in it.
      { code: expect.any(String), param: expect.stringContaining(param.replace("[0]", "")) },
    ]);
  });

  it.each([previous(nul), previous(half)])(
    "is rejected with its param by the count of tokens: $body",
    async ({ body, param }) => {
      const { call } = await start();
      const answer = await call("POST", "/v1/responses/input_tokens", { model, ...body });
      expect([answer.status, codeOf(answer)]).toMatchObject([400, { param }]);
    },
  );

  it("is left out by the count of tokens where it names an item", async () => {
    const { call } = await start();
    const { body } = item(nul);
    const answer = await call("POST", "/v1/responses/input_tokens", { model, ...body });
    expect(answer.status).toBe(200);
  });

  it("does not keep a response from being stored with the item that has it", async () => {
    const { call } = await start();
    const input = [{ type: "message", id: "msg_a\0b", ...message }];
    const answer = await call("POST", "/v1/responses", { model, input });
    expect(answer.status).toBe(200);
    const { id } = answer.body as { id: string };
    expect((await call("GET", `/v1/responses/${id}`)).status).toBe(200);
  });

  it("does not keep a background response from being stored with the item that has it", async () => {
    const { call, secret } = await start();
    const input = [{ type: "message", id: "msg_a\0b", ...message }];
    const answer = await call("POST", "/v1/responses", { model, input, background: true });
    expect(answer.status).toBe(200);
    const { id } = answer.body as { id: string };
    // Its stream ends when it has.
    const stream = await fetch(`${causeway.url}/v1/responses/${id}?stream=true`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await stream.text()).toContain("response.completed");
  });
});
