import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startFakeUpstream, stream, type Script } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { responseFixtures } from "./response-fixtures.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const listed = json({ object: "list", data: [{ id: "m" }] });
const refusal = json({ error: { message: "Unknown field: stream_options" } }, 400);
const answer = stream(responseFixtures.chat.frames);

/** An endpoint whose upstream refuses the option that asks for usage, and how often it did. */
async function start() {
  const counts = { asked: 0, refused: 0 };
  const script: Script = (response, request) => {
    if (request.method === "GET") return listed(response, request);
    const isAsked = request.body.includes("stream_options");
    counts.asked += 1;
    if (isAsked) counts.refused += 1;
    return (isAsked ? refusal : answer)(response, request);
  };
  const upstream = await startFakeUpstream(script);
  const user = await causeway.createUser();
  const call = (method: "PATCH" | "POST", path: string, body?: object) =>
    causeway.call(method, `/v1/upstreams${path}`, { token: user.session, ...(body && { body }) });
  const base_url = `${upstream.origin}/v1`;
  await call("POST", "", { label: "Box", base_url, api_key: "k", dialect: "dialect_chat" });
  const { secret } = await user.createKey();
  const anthropic = new Anthropic({ baseURL: causeway.url, apiKey: secret, maxRetries: 0 });
  const ask = async () => {
    const messages = [{ role: "user" as const, content: "hello" }];
    const body = { model: "custom/box/m", max_tokens: 100, messages };
    await anthropic.messages.stream(body).finalMessage();
  };
  return { counts, call, ask };
}

const ends = [
  ["its next probe", "POST", "/box/probe", undefined],
  ["a change of its label", "PATCH", "/box", { label: "Crate" }],
  ["a change of its headers", "PATCH", "/box", { headers: { "x-a": "b" } }],
  ["a change of the names of its models", "PATCH", "/box", { model_names: { m: "Em" } }],
] as const;

describe("an option that an endpoint has refused is tried again", () => {
  it.each(ends)("[answer.lessons-end] after %s", async (_what, method, path, body) => {
    const { counts, call, ask } = await start();
    await ask();
    await ask();
    expect(counts).toEqual({ asked: 3, refused: 1 });
    expect((await call(method, path, body)).status).toBe(200);
    // The change is told to every process, which takes a moment.
    await expect.poll(() => ask().then(() => counts.refused)).toBe(2);
    await ask();
    expect(counts.refused).toBe(2);
  });
});
