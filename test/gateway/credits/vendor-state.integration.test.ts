import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { startCreditsInstance, type Buyer, type CreditsInstance } from "./credits-instance.ts";

let sold: CreditsInstance;
let buyer: Buyer;

beforeAll(async () => {
  sold = await startCreditsInstance();
  buyer = await sold.buyer();
});

afterAll(() => sold.close());

beforeEach(() => sold.upstream.play(json({ id: "x", object: "response", status: "completed" })));

const file = "file_0";
const input = (...content: object[]) => ({ input: [{ role: "user", content }] });
const text = { type: "text", text: "hi" };
const stored = { type: "image", source: { type: "file", file_id: file } };
const messages = (...content: object[]) => ({ messages: [{ role: "user", content }] });

type Refused = readonly [model: string, param: string, body: object];

const responses: readonly Refused[] = [
  ["thinker", "conversation", { conversation: "conv_0" }],
  ["thinker", "conversation", { conversation: { id: "conv_0" } }],
  ["thinker", "prompt", { prompt: { id: "pmpt_0" } }],
  ["thinker", "previous_response_id", { previous_response_id: "resp_of_another" }],
  ["thinker", "previous_response_id", { previous_response_id: 7 }],
  ["thinker", "input[0]", { input: [{ type: "item_reference", id: "msg_of_another" }] }],
  ["thinker", "input[0]", { input: [{ id: "msg_of_another" }] }],
  ["thinker", "input[0]", { input: [{ type: "image_generation_call", id: "ig_of_another" }] }],
  ["thinker", "input[0].content[0].file_id", input({ type: "input_file", file_id: file })],
  ["thinker", "input[0].content[0].file_id", input({ type: "input_image", file_id: file })],
  [
    "thinker",
    "input[0].output.file_id",
    { input: [{ type: "computer_call_output", call_id: "c", output: { file_id: file } }] },
  ],
  ["thinker", "tools[0]", { tools: [{ type: "file_search", vector_store_ids: ["vs_0"] }] }],
  ["thinker", "tools[0]", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
  [
    "thinker",
    "tools[1].environment",
    {
      tools: [
        { type: "web_search" },
        { type: "shell", environment: { type: "container_reference", container_id: "cntr_0" } },
      ],
    },
  ],
  [
    "thinker",
    "tools[0].connector_id",
    { tools: [{ type: "mcp", server_label: "s", connector_id: "connector_gmail" }] },
  ],
  [
    "thinker",
    "input[0].tools[0]",
    {
      input: [
        { type: "additional_tools", tools: [{ type: "file_search", vector_store_ids: ["v"] }] },
      ],
    },
  ],
  ["talker", "conversation", { conversation: "conv_0" }],
  [
    "thinker",
    "tools[0].environment.skills[0].skill_id",
    {
      tools: [
        {
          type: "shell",
          environment: { type: "local", skills: [{ type: "skill_reference", skill_id: "s" }] },
        },
      ],
    },
  ],
  [
    "thinker",
    "input[0].output[0].file_id",
    {
      input: [
        {
          type: "function_call_output",
          call_id: "c",
          output: [{ type: "input_file", file_id: file }],
        },
      ],
    },
  ],
];

const chat: readonly Refused[] = [
  [
    "talker",
    "messages[0].content[0].file.file_id",
    messages({ type: "file", file: { file_id: file } }),
  ],
  [
    "thinker",
    "messages[0].content[0].file.file_id",
    messages({ type: "file", file: { file_id: file } }),
  ],
  ["talker", "messages[0].audio", { messages: [{ role: "assistant", audio: { id: "audio_0" } }] }],
  ["talker", "deferred", { deferred: true }],
];

const blocks: readonly Refused[] = [
  ["blocker", "container", { container: "container_0" }],
  ["blocker", "container", { container: { skills: [{ skill_id: "s" }] } }],
  ["blocker", "thread", { thread: { id: "t" } }],
  ["blocker", "diagnostics", { diagnostics: { previous_message_id: "msg_of_another" } }],
  [
    "blocker",
    "messages[0].content[0].source",
    messages({ type: "image", source: { type: "file", file_id: file } }),
  ],
  [
    "blocker",
    "messages[0].content[0].content[0].source",
    messages({
      type: "tool_result",
      tool_use_id: "t",
      content: [{ type: "document", source: { type: "file", file_id: file } }],
    }),
  ],
  [
    "blocker",
    "messages[0].content[0].file_id",
    messages({ type: "container_upload", file_id: file }),
  ],
  ["blocker", "tools[0]", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
  [
    "blocker",
    "messages[0].content[0].source.content[1].source",
    messages({ type: "document", source: { type: "content", content: [text, stored] } }),
  ],
  [
    "blocker",
    "messages[0].content[0].content[0].source.content[0].source",
    messages({
      type: "tool_result",
      tool_use_id: "t",
      content: [{ type: "document", source: { type: "content", content: [stored] } }],
    }),
  ],
  [
    "blocker",
    "messages[0].content[0].content[0].source",
    messages({ type: "search_result", source: "s", title: "t", content: [stored] }),
  ],
  [
    "blocker",
    "messages[0].content[0].content.content[0].file_id",
    messages({
      type: "code_execution_tool_result",
      tool_use_id: "t",
      content: { type: "code_execution_result", content: [{ file_id: file }] },
    }),
  ],
  ["blocker", "system[0].source", { system: [stored] }],
  [
    "blocker",
    "messages[0].content[0].tool.definition",
    messages({
      type: "tool_addition",
      tool: { type: "tool_definition", definition: { type: "code_execution_20250825" } },
    }),
  ],
];

const say = { messages: [{ role: "user", content: "hi" }] };

describe("what the vendor keeps under the operator's key", () => {
  it.each([
    ...responses.map((row) => ["/v1/responses", { input: "hi" }, ...row] as const),
    ...chat.map((row) => ["/v1/chat/completions", say, ...row] as const),
    ...blocks.map((row) => ["/v1/messages", { max_tokens: 9, ...say }, ...row] as const),
  ])(
    "[credits.vendor-state] is not opened or added to by %s: %j to %s is 400 %s",
    async (path, base, model, param, body) => {
      const before = sold.upstream.requests.length;
      const refused = await sold.causeway.call("POST", path, {
        token: buyer.secret,
        body: { model, ...base, ...body },
      });
      expect(refused.status).toBe(400);
      const { error } = refused.body;
      expect(error.param ?? error.details.param).toBe(param);
      expect(sold.upstream.requests.length).toBe(before);
    },
  );

  it("[client-fields.thread] is not threaded, in the words by which the vendor's client goes on without", async () => {
    const refused = await sold.causeway.call("POST", "/v1/messages", {
      token: buyer.secret,
      body: { model: "blocker", max_tokens: 9, ...say, thread: { type: "create" } },
    });
    expect(refused.body).toMatchObject({
      error: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
    });
  });

  it.each([
    [
      "/v1/responses",
      "background",
      '{"model":"thinker","input":"hi","background":true,"background":false}',
    ],
    [
      "/v1/chat/completions",
      "stream_options",
      '{"model":"talker","messages":[],"stream":true,"stream_options":{},"stream_options":{}}',
    ],
    [
      "/v1/chat/completions",
      "max_tokens",
      '{"model":"talker","messages":[],"max_tokens":100000,"max_tokens":1}',
    ],
  ])("is not opened by a member that is given twice, to %s: %s", async (path, param, body) => {
    const answer = await fetch(sold.causeway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${buyer.secret}`, "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param } });
  });

  it("stays as it was when a chat caller asks to store: nothing is, and the caller is told", async () => {
    const answer = await sold.causeway.call("POST", "/v1/chat/completions", {
      token: buyer.secret,
      body: { model: "talker", ...say, store: true, metadata: { for: "later" } },
    });
    expect(answer.headers.get("x-svc-warnings")).toBe(
      '"store";action=dropped;reason=unsupported, "metadata";action=dropped;reason=unsupported',
    );
    expect(sold.sent()).toMatchObject({ store: false, metadata: null, ...say });
    const refused = await sold.causeway.call("POST", "/v1/chat/completions", {
      token: buyer.secret,
      headers: { "x-svc-strict": "true" },
      body: { model: "talker", ...say, store: true },
    });
    expect(refused).toMatchObject({ status: 400, body: { error: { param: "store" } } });
  });

  it("[credits.unstored] stays as it was when a chat caller is served by a vendor of responses", async () => {
    await sold.causeway.call("POST", "/v1/chat/completions", {
      token: buyer.secret,
      body: { model: "thinker", ...say, store: true },
    });
    expect(sold.sent()).toMatchObject({ store: false });
  });

  it("is none of the business of own tools, web searches and files that are sent along", async () => {
    const body = {
      model: "thinker",
      tools: [
        { type: "function", name: "f", parameters: { properties: { container: {} } } },
        { type: "web_search" },
        { type: "mcp", server_label: "s", server_url: "https://mcp.example" },
        { type: "shell", environment: { type: "local" } },
      ],
      ...input({ type: "input_file", file_data: "data:text/plain;base64,eA==", filename: "a" }),
    };
    const answer = await sold.causeway.call("POST", "/v1/responses", { token: buyer.secret, body });
    expect(answer.status).toBe(200);
    expect(sold.sent()).toEqual({ ...body, model: "m", store: false });
  });
});

const paths = { thinker: "/v1/responses", talker: "/v1/chat/completions", blocker: "/v1/messages" };
const bodies = {
  thinker: { input: "hi" },
  talker: say,
  blocker: { max_tokens: 9, ...say },
};

describe("a call on credits", () => {
  let caller: Buyer;

  beforeAll(async () => {
    caller = await sold.buyer();
  });

  const models = ["thinker", "talker", "blocker"] as const;
  const dearer = [
    ["service_tier", "priority"],
    ["service_tier", "scale"],
    ["speed", "fast"],
    ["inference_geo", "us"],
  ] as const;
  const cases = models.flatMap((model) =>
    models.flatMap((dialect) => dearer.map((member) => [dialect, model, ...member] as const)),
  );

  it.each(cases)(
    "in the dialect of %s to %s is refused with %s %j, which costs more than its price",
    async (dialect, model, name, value) => {
      const before = sold.upstream.requests.length;
      const refused = await sold.causeway.call("POST", paths[dialect], {
        token: caller.secret,
        body: { model, ...bodies[dialect], [name]: value },
      });
      expect(refused.status).toBe(400);
      expect(refused.body.error.param ?? refused.body.error.details.param).toBe(name);
      expect(sold.upstream.requests.length).toBe(before);
    },
  );

  const hour = { type: "ephemeral", ttl: "1h" };
  const cached = { ...text, cache_control: hour };
  const advisor = { type: "advisor_20260301", name: "advisor", model: "other" };
  const nested: readonly (readonly [keyof typeof paths, string, object])[] = [
    ["blocker", "cache_control.ttl", { cache_control: hour }],
    ["blocker", "system[0].cache_control.ttl", { system: [cached] }],
    ["blocker", "messages[0].content[1].cache_control.ttl", messages(text, cached)],
    [
      "blocker",
      "messages[0].content[0].content[0].cache_control.ttl",
      messages({ type: "tool_result", tool_use_id: "t", content: [cached] }),
    ],
    [
      "blocker",
      "tools[0].cache_control.ttl",
      { tools: [{ name: "f", input_schema: { type: "object" }, cache_control: hour }] },
    ],
    ["talker", "messages[0].content[0].cache_control.ttl", messages(cached)],
    [
      "talker",
      "messages[0].content[0].prompt_cache_breakpoint.ttl",
      messages({ ...text, prompt_cache_breakpoint: { mode: "explicit", ttl: "1h" } }),
    ],
    ["blocker", "tools[0].type", { tools: [advisor] }],
    [
      "blocker",
      "messages[0].content[0].tool.definition.type",
      messages({ type: "tool_addition", tool: { type: "tool_definition", definition: advisor } }),
    ],
    ["blocker", "fallbacks", { fallbacks: [{ model: "other" }] }],
    ["blocker", "fallbacks", { fallbacks: "default" }],
    ["talker", "models", { models: ["other"] }],
    ["talker", "tools[0].type", { tools: [{ type: "openrouter:advisor" }] }],
  ];

  it.each(nested)(
    "to %s is refused with `%s`, which costs more than its price: %j",
    async (model, param, body) => {
      const before = sold.upstream.requests.length;
      const refused = await sold.causeway.call("POST", paths[model], {
        token: caller.secret,
        body: { model, ...bodies[model], ...body },
      });
      expect(refused.status).toBe(400);
      expect(refused.body.error.param ?? refused.body.error.details.param).toBe(param);
      expect(sold.upstream.requests.length).toBe(before);
    },
  );

  it("may cache for five minutes, and send any JSON to tools", async () => {
    const fileId = { file_id: file, source: { type: "file" }, cache_control: hour };
    const short = { type: "ephemeral", ttl: "5m" };
    const body = {
      model: "blocker",
      max_tokens: 9,
      cache_control: { type: "ephemeral" },
      system: [{ ...text, cache_control: short }],
      tools: [{ name: "f", input_schema: { type: "object", default: fileId } }],
      messages: [
        { role: "user", content: [{ ...text, cache_control: short }] },
        {
          role: "assistant",
          content: [
            { ...text, citations: [{ type: "char_location", file_id: null }] },
            { type: "tool_use", id: "t", name: "f", input: fileId },
          ],
        },
      ],
    };
    const { status } = await sold.causeway.call("POST", "/v1/messages", {
      token: caller.secret,
      body,
    });
    expect(status).toBe(200);
    expect(sold.sent()).toEqual({ ...body, model: "m" });
  });

  it.each(["auto", "default", "flex", null])("may ask for the service tier %j", async (tier) => {
    const { status } = await sold.causeway.call("POST", "/v1/responses", {
      token: caller.secret,
      body: { model: "thinker", input: "hi", service_tier: tier },
    });
    expect(status).toBe(200);
    expect(sold.sent()).toMatchObject({ service_tier: tier });
  });
});
