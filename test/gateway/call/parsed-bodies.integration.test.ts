import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { summarySealPrefix } from "../../../src/gateway/stored-responses/summary-seal.ts";
import { json } from "../../support/fake-upstream.ts";
import { scriptedOutput, startAgentCaller } from "../agent/agent-caller.ts";
import { startCreditsInstance, type CreditsInstance } from "../credits/credits-instance.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";
import { openSocket } from "../websocket/socket-client.ts";

let instance: CreditsInstance;

/** An account may hold a quarter, 1 MiB. */
beforeAll(async () => {
  instance = await startCreditsInstance(() => ({
    limits: { held_bodies_mib: 4, max_body_mib: 1 },
  }));
});

afterAll(() => instance.close());

beforeEach(() => {
  instance.upstream.requests.length = 0;
  instance.upstream.play(json(responseFixtures.chat.whole));
});

/** 60 kB of text, and 2 MB of values. */
const many = Array.from({ length: 20_000 }, () => ({}));

const tooMany = Array.from({ length: 400_001 }, () => 1);

const tooLarge = { status: 413, body: { error: { code: "request_too_large" } } };

describe("a body whose values need more memory than its account may hold", () => {
  it.each([
    ["a call on credits that is translated", "/v1/responses", { model: "talker", input: many }],
    ["a count of input tokens", "/v1/responses/input_tokens", { model: "talker", input: many }],
    [
      "a call with a summary to be opened",
      "/v1/responses",
      { model: "thinker", input: [...many, summarySealPrefix] },
    ],
  ])("is refused in %s", async (_, path, body) => {
    const { secret: token } = await instance.buyer();
    expect(await instance.causeway.call("POST", path, { token, body })).toMatchObject(tooLarge);
    expect(instance.upstream.requests).toEqual([]);
  });

  it("is refused in a message over WebSocket that asks no model", async () => {
    const { secret } = await instance.buyer();
    const client = await openSocket(instance.causeway.url, secret);
    const warm = { model: "thinker", generate: false, input: "Hi" };
    expect(await client.ask({ ...warm, tools: many })).toMatchObject([
      { type: "error", status: 413 },
    ]);
  });

  it("is answered in such a message where its input has more values than are parsed", async () => {
    const { secret } = await instance.buyer();
    const client = await openSocket(instance.causeway.url, secret);
    const events = await client.ask({ model: "thinker", generate: false, input: tooMany });
    expect(events.at(-1)).toMatchObject({ type: "response.completed" });
  });
});

describe("a count of input tokens that continues a stored conversation", () => {
  const part = "x".repeat(250_000);

  it("is refused when the conversation needs more memory than the account may hold", async () => {
    const { secret: token, openai } = await instance.buyer();
    const { id } = await openai.responses.create({ model: "talker", input: part });
    const body = { model: "talker", input: part + part, previous_response_id: id };
    const path = "/v1/responses/input_tokens";
    expect(await instance.causeway.call("POST", path, { token, body })).toMatchObject(tooLarge);
  });

  it("is refused for the thread of an agent as well", async () => {
    const { upstream, openai, call } = await startAgentCaller(instance.causeway, "dialect_chat");
    upstream.play(scriptedOutput("dialect_chat", { text: "Hi." }));
    const { id } = await openai.responses.create({ model: "agent", input: part });
    const body = { model: "talker", input: part + part, previous_response_id: id };
    expect(await call("POST", "/v1/responses/input_tokens", body)).toMatchObject(tooLarge);
  });
});

describe("a stored response that is read whole for a key that may use few models", () => {
  it("is not answered when it needs more memory than the account may hold", async () => {
    const { causeway, upstream } = instance;
    const user = await causeway.createUser();
    const credential = { token: user.session, body: { api_key: "mine" } };
    await causeway.call("PUT", "/v1/vendors/code/credential", credential);
    const { secret: token } = await user.createKey({ allowed_models: ["code/m"] });
    const read = (text: string) => {
      upstream.play(json({ id: "resp_1", object: "response", model: "m", text }));
      return causeway.call("GET", "/v1/responses/resp_1", { token });
    };
    expect((await read("x")).status).toBe(200);
    const { status, body } = await read("x".repeat(2 * 1024 * 1024));
    expect([status, JSON.stringify(body)]).toEqual([502, expect.stringContaining("may be held")]);
  });
});
