import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { clientsOf, scriptedOutput, startAgentCaller, type AgentCaller } from "./agent-caller.ts";

let causeway: TestInstance;
let vendor: FakeUpstream & { close(): Promise<void> };

beforeAll(async () => {
  vendor = await openFakeUpstream(scriptedOutput("dialect_chat", { text: "Sold." }));
  const base_url = `${vendor.origin}/v1`;
  const common = { label: "Acme", base_url, dialects: ["dialect_chat"], auth: "bearer" };
  causeway = await startTestInstance({
    file: {
      vendors: { acme: { ...common, models: ["large", "small"] } },
      credits: {
        keys: { acme: "operator-key" },
        catalog: ["large", "small"].map((model) => ({
          id: `acme-${model}`,
          vendor: "acme",
          model,
          input_usd_per_mtok: 1,
          output_usd_per_mtok: 10,
          max_output_tokens: 900,
        })),
      },
      agents: {
        omni: { models: ["acme-none", "acme-large"], instructions: "Think of the company." },
        fast: { models: ["acme-small"], max_output_tokens: 2000 },
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await vendor.close();
});

const question = "Who are you?";

async function richCaller(key: Record<string, unknown> = {}) {
  const user = await causeway.createUser();
  await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, {
    token: causeway.adminToken,
    body: { amount_usd: 5 },
  });
  const { secret } = await user.createKey(key);
  return { user, secret, ...clientsOf(causeway, secret) };
}

/** Body of the last call that reached the vendor. */
function lastSold(): Record<string, unknown> {
  return JSON.parse(vendor.requests.at(-1)?.body.toString() ?? "{}") as Record<string, unknown>;
}

describe("an engine", () => {
  it("[model-id.agent] [agent.engines] is omni for what asks for more, fast for the rest, and omni again in its thread", async () => {
    const { openai } = await richCaller();
    const tools = [
      { type: "function" as const, name: "f", parameters: { type: "object" }, strict: false },
    ];
    const image = {
      role: "user" as const,
      content: [
        { type: "input_text" as const, text: "What?" },
        {
          type: "input_image" as const,
          detail: "auto" as const,
          image_url: "data:image/png;base64,iVBORw0KGgo=",
        },
      ],
    };
    const asked = async (body: object, session = ""): Promise<unknown> => {
      const headers = session === "" ? {} : { "x-svc-session": session };
      await openai.responses.create({ model: "agent", input: question, ...body }, { headers });
      return lastSold()["model"];
    };
    expect(await asked({})).toBe("small");
    expect(await asked({ tools })).toBe("large");
    expect(await asked({ input: [image] })).toBe("large");
    expect(await asked({ reasoning: { effort: "low" } })).toBe("small");
    expect(await asked({ reasoning: { effort: "high" } }, "t")).toBe("large");
    expect(await asked({}, "t")).toBe("large");
    expect(await asked({ model: "agent-fast", tools })).toBe("small");
  });

  it("[call.engine-pins] [engine.omni] [agent.instructions] is pinned by its model or by the header, and has its instructions before the caller's", async () => {
    const { openai } = await richCaller();
    const omni = { headers: { "x-svc-engine": "omni" } };
    const body = { model: "agent-fast", input: question, instructions: "Rhyme." };
    const { response } = await openai.responses.create(body, omni).withResponse();
    expect(response.headers.get("x-svc-target")).toBe("acme-large");
    expect(response.headers.get("x-svc-route-used")).toBe("credits");
    const [system] = lastSold()["messages"] as { role: string; content: string }[];
    expect(system?.content.indexOf("Think of the company.")).toBe(0);
    expect(system?.content).toMatch(/Rhyme\.$/);
  });

  it("[agent.output-cap] asks for no more output than engine, catalogue and caller have, and reserves no more", async () => {
    const { openai } = await richCaller();
    await openai.responses.create({ model: "agent-fast", input: question });
    expect(lastSold()).toMatchObject({ max_tokens: 900 });
    await openai.responses.create({ model: "agent-fast", input: question, max_output_tokens: 50 });
    expect(lastSold()).toMatchObject({ max_tokens: 50 });
  });

  it("[mode.agent-engine] [agent.mode] is the model that the caller names, in the mode agent", async () => {
    const caller = await startAgentCaller(causeway, "dialect_chat", { mode: "agent" });
    caller.upstream.play(scriptedOutput("dialect_chat", { text: "Own." }));
    const messages = [{ role: "user" as const, content: question }];
    const { data, response } = await caller.openai.chat.completions
      .create({ model: "custom/box/m", messages })
      .withResponse();
    expect(data).toMatchObject({
      model: "custom/box/m",
      choices: [{ message: { content: "Own." } }],
    });
    expect(response.headers.get("x-svc-turn")).toMatch(/^turn_/);
    const plain = { headers: { "x-svc-mode": "model" } };
    const ordinary = await caller.openai.chat.completions
      .create({ model: "custom/box/m", messages }, plain)
      .withResponse();
    expect(ordinary.response.headers.get("x-svc-turn")).toBeNull();
  });

  it("[agent.reachable] runs on the first custom endpoint where none of its models can be reached", async () => {
    const caller = await startAgentCaller(causeway, "dialect_chat", { route: "byo" });
    caller.upstream.play(scriptedOutput("dialect_chat", { text: "Own." }));
    const response = await caller.openai.responses.create({ model: "agent", input: question });
    expect(response.output_text).toBe("Own.");
    const list = await caller.call("GET", "/v1/models");
    expect(list.body.data[0]).toMatchObject({ id: "agent", available: true });
  });
});

describe("a call that the agent cannot take", () => {
  async function refusalOf(caller: Pick<AgentCaller, "openai">, body: object, headers = {}) {
    const asked = { model: "agent", input: question, ...body };
    return caller.openai.responses.create(asked, { headers }).then(
      () => "answered",
      (error: { status: number; code: string; param: string }) => [error.status, error.code],
    );
  }

  it("[allowed.agent] [agent.none] [agent.allowed] is 402 where nobody can pay, 403 where nothing is there or the key may not", async () => {
    const poor = await causeway.createUser();
    const { secret } = await poor.createKey();
    expect(await refusalOf(clientsOf(causeway, secret), {})).toEqual([402, "byo_url"]);
    const own = await poor.createKey({ route: "byo" });
    const none = clientsOf(causeway, own.secret);
    expect(await refusalOf(none, {})).toEqual([403, "no_vendor_credential"]);
    const narrow = await richCaller({ allowed_models: ["agent", "acme-large"] });
    expect(await refusalOf(narrow, { model: "agent-fast" })).toEqual([403, "model_not_allowed"]);
    expect(await refusalOf(narrow, {})).toBe("answered");
    expect(lastSold()["model"]).toBe("large");
    const agentOnly = await richCaller({ allowed_models: ["agent*"] });
    expect(await refusalOf(agentOnly, {})).toEqual([403, "model_not_allowed"]);
    const listed = await causeway.call("GET", "/v1/models", { token: secret });
    expect(listed.body.data[0]).toMatchObject({ id: "agent", reason: "byo_url" });
  });

  it("[agent.thread-form] [agent.refusals] is 400 with what is wrong, and stores nothing", async () => {
    const { openai, anthropic, secret } = await richCaller();
    const said = { role: "assistant" as const, content: "Hm" };
    const asked = { model: "agent", max_tokens: 9 };
    const cases: readonly [() => Promise<unknown>, string][] = [
      [() => openai.responses.create({ model: "agent", input: [said] }), "input"],
      [() => openai.chat.completions.create({ model: "agent", messages: [said] }), "messages"],
      [
        () =>
          openai.chat.completions.create({
            model: "agent",
            messages: [{ role: "user", content: "x" }],
            stop: ["END"],
          }),
        "stop",
      ],
      [
        () => openai.responses.create({ model: "agent", input: "x", conversation: "conv_1" }),
        "conversation",
      ],
      [
        () =>
          openai.responses.create(
            { model: "agent", input: "x" },
            { headers: { "x-svc-session": "not valid" } },
          ),
        "x-svc-session",
      ],
    ];
    for (const [call, param] of cases) {
      await expect(call()).rejects.toMatchObject({ status: 400, param });
    }
    const prefilled = anthropic.messages.create({
      ...asked,
      messages: [{ role: "user", content: "x" }, said],
    });
    await expect(prefilled).rejects.toMatchObject({ status: 400 });
    const { body } = await causeway.call("GET", "/v1/agent/threads", { token: secret });
    expect(body.data).toEqual([]);
  });
});
