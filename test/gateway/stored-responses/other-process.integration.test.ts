import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";
import type { Body } from "../transcode/pairs.ts";

let servers: TwoInstances;
let first: TestInstance;
let second: TestInstance;

beforeAll(async () => {
  servers = await startTwoInstances();
  ({ first, second } = servers);
});

afterAll(() => servers.close());

const thinking = { type: "thinking", thinking: "The map first.", signature: "SIGNED==" };
const called = responseFixtures.messages.whole as { readonly content: readonly Body[] };

const wholes = {
  chat: responseFixtures.chat.whole,
  messages: { ...called, content: [thinking, ...called.content] },
};

describe.each(["chat", "messages"] as const)("a kept turn of a %s upstream", (dialect) => {
  it("[request.previous] is gone on from with a tool's result alone, at another process", async () => {
    const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
    const user = await first.createUser();
    const fields = {
      label: "Box",
      base_url: `${upstream.origin}/v1`,
      api_key: "k",
      dialect: `dialect_${dialect}`,
    };
    await first.call("POST", "/v1/upstreams", { token: user.session, body: fields });
    const { secret } = await user.createKey();
    upstream.play(json(wholes[dialect]));
    const at = ({ url }: TestInstance) =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
    const tool = { type: "function", name: "weather", parameters: {}, strict: false } as const;
    const model = "custom/box/m";
    const begun = await at(first).responses.create({ model, input: "Weather?", tools: [tool] });
    const call = begun.output.find(({ type }) => type === "function_call");
    const callId = call?.type === "function_call" ? call.call_id : "";
    await at(second).responses.create({
      model,
      previous_response_id: begun.id,
      input: [{ type: "function_call_output", call_id: callId, output: "sun" }],
      tools: [tool],
    });
    const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "") as Body;
    const messages = sent["messages"] as Body[];
    expect(messages.map(({ role }) => role)).toEqual(
      dialect === "chat" ? ["user", "assistant", "tool"] : ["user", "assistant", "user"],
    );
    expect(JSON.stringify(messages[2])).toContain(`"${callId}"`);
    if (dialect === "messages") {
      expect(messages[1]?.["content"]).toEqual([thinking, ...called.content]);
    }
    const unknown = at(second).responses.create({
      model,
      previous_response_id: `${begun.id}x`,
      input: "Go on.",
    });
    await expect(unknown).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });
});

describe("an answer that an upstream keeps itself", () => {
  it("[lasting.asked-alone] is asked for alone at another process", async () => {
    const id = "resp_theirs";
    const list = json({ object: "list", data: [{ id: "m" }] });
    const [other, keeper] = [await startFakeUpstream(list), await startFakeUpstream(list)];
    const user = await first.createUser();
    for (const [label, { origin }] of Object.entries({ other, keeper })) {
      const endpoint = { label, base_url: origin, api_key: "k", dialect: "dialect_responses" };
      const call = { token: user.session, body: endpoint };
      expect((await first.call("POST", "/v1/upstreams", call)).status).toBe(201);
    }
    const { secret: token } = await user.createKey();
    keeper.play(json({ id, object: "response", status: "completed", output: [] }));
    const body = { model: "custom/keeper/m", input: "hi" };
    expect((await first.call("POST", "/v1/responses", { token, body })).status).toBe(200);
    // Who asks here has it written down.
    for (const { call } of [first, second]) {
      expect(await call("GET", `/v1/responses/${id}`, { token })).toMatchObject({
        status: 200,
        body: { id },
      });
    }
    expect(other.requests.map(({ path }) => path)).toEqual(["/v1/models"]);
  });
});
