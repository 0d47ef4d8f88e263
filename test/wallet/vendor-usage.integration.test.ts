import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  json,
  openFakeUpstream,
  stream,
  type FakeUpstream,
  type Script,
} from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };

const dialects = ["chat", "messages", "responses"] as const;

beforeAll(async () => {
  upstream = await openFakeUpstream();
  const vendor = { label: "Acme", base_url: `${upstream.origin}/v1`, models: ["m"] };
  const prices = {
    input_usd_per_mtok: 1,
    cached_input_usd_per_mtok: 0.1,
    cache_write_usd_per_mtok: 2,
    output_usd_per_mtok: 10,
  };
  const vendors = dialects.map((dialect) => [
    dialect,
    { ...vendor, dialects: [`dialect_${dialect}`], auth: "bearer" },
  ]);
  causeway = await startTestInstance({
    file: {
      vendors: Object.fromEntries(vendors),
      credits: {
        keys: Object.fromEntries(dialects.map((dialect) => [dialect, "operator-key"])),
        catalog: dialects.map((dialect) => ({
          id: `sold-${dialect}`,
          vendor: dialect,
          model: "m",
          ...prices,
        })),
      },
    },
  });
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** Half a megabyte: the end of an answer with it does not show its beginning. */
const long = "word ".repeat(100_000);
/** A member that looks like a usage of nothing, as a tool's schema may hold it. */
const decoy = {
  usage: { prompt_tokens: 0, completion_tokens: 0, input_tokens: 0, output_tokens: 0 },
};
/** As much as OpenAI allows. */
const metadata = Object.fromEntries(
  Array.from({ length: 16 }, (_, at) => [`key-${at}`.padEnd(64, "k"), "v".repeat(512)]),
);

const chatUsage = {
  prompt_tokens: 150,
  prompt_tokens_details: { cached_tokens: 50 },
  completion_tokens: 40,
};
const responsesUsage = {
  input_tokens: 150,
  input_tokens_details: { cached_tokens: 50 },
  output_tokens: 40,
};
/** The cost of either, in dollars. */
const cost = (100 * 1 + 50 * 0.1 + 40 * 10) / 1e6;

const frame = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const choice = { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" };

function chatBody(content: string, usage: object, last: object = {}): Script {
  const choices = [{ ...choice, message: { role: "assistant", content } }];
  return json({ id: "c", object: "chat.completion", model: "m", ...usage, choices, ...last });
}

function chunk(delta: object, finish_reason: string | null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return frame({ id: "c", object: "chat.completion.chunk", model: "m", choices, ...more });
}

function responseObject(content: string, more: object): object {
  const part = { type: "output_text", text: content, annotations: [] };
  const item = { type: "message", id: "msg_1", status: "completed", role: "assistant" };
  const output = [{ ...item, content: [part] }];
  const head = { id: "resp_1", object: "response", created_at: 1, model: "m" };
  return { ...head, status: "completed", output, usage: responsesUsage, ...more };
}

function responseEvents(content: string, more: object): readonly string[] {
  const events = [
    { type: "response.created", response: { ...responseObject("", {}), usage: null } },
    { type: "response.completed", response: responseObject(content, more) },
  ];
  return events.map((event, sequence_number) => frame({ ...event, sequence_number }));
}

const messageStart = (more: object = {}): string => {
  const usage = {
    input_tokens: 90,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 5,
    output_tokens: 1,
  };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
  const message = { ...head, ...more, stop_reason: null, stop_sequence: null, usage };
  return `event: message_start\n${frame({ type: "message_start", message })}`;
};

const messageRest: readonly string[] = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...Array.from({ length: 500 }, () => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "word ".repeat(20) },
  })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 40 } },
  { type: "message_stop" },
].map((event) => `event: ${event.type}\n${frame(event)}`);

const start = messageStart();
const eventLine = "event: message_start\n";

/** Named by what could hide its usage. */
const answers: readonly (readonly [string, (typeof dialects)[number], boolean, Script])[] = [
  ["chat body, usage before a long text", "chat", false, chatBody(long, { usage: chatUsage })],
  [
    "chat body, usage before a decoy",
    "chat",
    false,
    chatBody(long, { usage: chatUsage }, decoy.usage),
  ],
  [
    "chat body, decoy behind a long text",
    "chat",
    false,
    chatBody(long, { usage: chatUsage }, { echoed: { tools: [decoy] } }),
  ],
  [
    "chat stream, usage long before its end",
    "chat",
    true,
    stream([
      chunk({ role: "assistant" }, null, { usage: chatUsage }),
      ...Array.from({ length: 200 }, () => chunk({ content: "word ".repeat(20) }, null)),
      chunk({}, "stop"),
      frame("[DONE]"),
    ]),
  ],
  [
    "chat stream, decoy in its last chunk",
    "chat",
    true,
    stream([
      chunk({ content: "x" }, null, { usage: chatUsage }),
      chunk({}, "stop", { echoed: decoy, pad: long }),
      frame("[DONE]"),
    ]),
  ],
  [
    "messages stream, first packet is a line",
    "messages",
    true,
    stream([eventLine, start.slice(eventLine.length), ...messageRest]),
  ],
  [
    "messages stream, first packet is a comment",
    "messages",
    true,
    stream([": processing\n\n", start, ...messageRest]),
  ],
  [
    "messages stream, first event is long",
    "messages",
    true,
    stream([messageStart({ container: { id: "x".repeat(5000) } }), ...messageRest]),
  ],
  [
    "responses body, decoy behind a long text",
    "responses",
    false,
    json(responseObject(long, { tools: [{ type: "function", name: "f", parameters: decoy }] })),
  ],
  [
    "responses stream, decoy behind the usage",
    "responses",
    true,
    stream(responseEvents(long, { tools: [{ type: "function", name: "f", parameters: decoy }] })),
  ],
  [
    "responses stream, metadata behind the usage",
    "responses",
    true,
    stream(responseEvents("short", { metadata })),
  ],
];

const messages = [{ role: "user", content: "hi" }];
const requests = {
  chat: { path: "/v1/chat/completions", body: { messages, max_tokens: 50 } },
  messages: { path: "/v1/messages", body: { messages, max_tokens: 50 } },
  responses: { path: "/v1/responses", body: { input: "hi", store: false } },
};

async function payer(amount_usd = 1) {
  const user = await causeway.createUser();
  await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, {
    token: causeway.adminToken,
    body: { amount_usd },
  });
  return { user, token: (await user.createKey()).secret };
}

/** The balance of the wallet once nothing is held. */
async function balance({ session: token }: TestUser): Promise<number> {
  const wallet = async () => (await causeway.call("GET", "/v1/wallet", { token })).body;
  await waitUntil(async () => (await wallet()).held_usd === 0);
  return (await wallet()).balance_usd;
}

describe("a call on credits is charged what its vendor reported", () => {
  it.each(answers)("%s", async (_what, dialect, isStream, script) => {
    const { user, token } = await payer();
    upstream.playOnce(script);
    const { path, body } = requests[dialect];
    const asked = { ...body, model: `sold-${dialect}`, stream: isStream };
    const { status } = await causeway.call("POST", path, { token, body: asked });
    expect(status).toBe(200);
    const expected = dialect === "messages" ? (90 + 50 * 0.1 + 5 * 2 + 40 * 10) / 1e6 : cost;
    expect(1 - (await balance(user))).toBeCloseTo(expected, 9);
  });
});

/** Streams whose tokens were all spent on hidden reasoning. */
const silentStreams: Readonly<Record<(typeof dialects)[number], Script>> = {
  chat: stream([
    chunk({ role: "assistant", content: "" }, null),
    chunk({}, "length", { usage: chatUsage }),
    frame("[DONE]"),
  ]),
  messages: stream([
    start,
    ...[
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 40 } },
      { type: "message_stop" },
    ].map((event) => `event: ${event.type}\n${frame(event)}`),
  ]),
  responses: stream(
    [
      { type: "response.created", response: { ...responseObject("", {}), usage: null } },
      {
        type: "response.incomplete",
        response: responseObject("", {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
          output: [{ type: "reasoning", id: "rs_1", summary: [] }],
        }),
      },
    ].map((event, sequence_number) => frame({ ...event, sequence_number })),
  ),
};

describe("a streamed call on credits whose answer has no text", () => {
  const pairs = dialects.flatMap((caller) => dialects.map((vendor) => [caller, vendor] as const));

  it.each(pairs)("is charged to a %s caller as its %s vendor reported", async (caller, vendor) => {
    const { user, token } = await payer();
    upstream.playOnce(silentStreams[vendor]);
    const { path, body } = requests[caller];
    const asked = { ...body, model: `sold-${vendor}`, stream: true };
    const { status } = await causeway.call("POST", path, { token, body: asked });
    expect(status).toBe(200);
    const expected = vendor === "messages" ? (90 + 50 * 0.1 + 5 * 2 + 40 * 10) / 1e6 : cost;
    expect(1 - (await balance(user))).toBeCloseTo(expected, 9);
  });
});

describe("a streamed call on credits that its vendor breaks off before any text", () => {
  it.each(dialects)("is charged to a %s caller for the input that was reported", async (caller) => {
    const { user, token } = await payer();
    upstream.playOnce(stream([start], { ending: "reset" }));
    const { path, body } = requests[caller];
    const asked = { ...body, model: "sold-messages", stream: true };
    // The connection of a call that is passed through ends as its vendor's did.
    await causeway.call("POST", path, { token, body: asked }).catch(() => undefined);
    expect(1 - (await balance(user))).toBeCloseTo((90 + 50 * 0.1 + 5 * 2 + 10) / 1e6, 9);
  });
});

describe("a background response on credits without text", () => {
  it("is charged as its vendor reported", async () => {
    const { user, token } = await payer();
    upstream.playOnce(silentStreams.chat);
    const body = { input: "hi", model: "sold-chat", background: true };
    const { body: created } = await causeway.call("POST", "/v1/responses", { token, body });
    const path = `/v1/responses/${created.id}`;
    await waitUntil(async () => {
      const { status } = (await causeway.call("GET", path, { token })).body;
      return status !== "queued" && status !== "in_progress";
    });
    expect(1 - (await balance(user))).toBeCloseTo(cost, 9);
  });
});

describe("a refusal of a member that the caller itself has sent", () => {
  /** Refuses other stream options, and reports usage where it is asked to. */
  const vendor: Script = (response, request) => {
    const { stream_options = {} } = JSON.parse(request.body.toString());
    const unknown = Object.keys(stream_options).find((name) => name !== "include_usage");
    if (unknown !== undefined) {
      const message = `Unknown parameter: 'stream_options.${unknown}'.`;
      return json({ error: { message } }, 400)(response, request);
    }
    const reported = stream_options.include_usage === true ? { usage: chatUsage } : {};
    const frames = [chunk({ content: "ok" }, null), chunk({}, "stop", reported), frame("[DONE]")];
    return stream(frames)(response, request);
  };

  it("does not stop the vendor's reports of usage to other accounts", async () => {
    upstream.play(vendor);
    const body = { ...requests.chat.body, model: "sold-chat", stream: true };
    const { token } = await payer();
    const asked = { ...body, stream_options: { x: 1 } };
    const refused = await causeway.call("POST", "/v1/chat/completions", { token, body: asked });
    expect(refused.status).toBe(400);
    const other = await payer();
    await causeway.call("POST", "/v1/chat/completions", { token: other.token, body });
    expect(1 - (await balance(other.user))).toBeCloseTo(cost, 9);
  });
});

describe("a call on credits that ends before its vendor has reported", () => {
  it("is charged for the text that was relayed, however few the events are", async () => {
    const { user, token } = await payer();
    upstream.playOnce(
      stream([chunk({ content: "word ".repeat(4000) }, null)], { ending: "reset" }),
    );
    const { path, body } = requests.chat;
    await causeway.call("POST", path, {
      token,
      body: { ...body, model: "sold-chat", stream: true },
    });
    expect(1 - (await balance(user))).toBeCloseTo((1 + 5000 * 10) / 1e6, 5);
  });
});

describe("the hold of a call on credits", () => {
  const body = { ...requests.chat.body, model: "sold-chat" };
  const words = "word ".repeat(40_000);
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const file = { type: "file", file: { filename: "a.pdf", file_data: "A".repeat(500_000) } };
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: words } };

  it("includes a summary and the answer after it", async () => {
    const { token } = await payer(0.01);
    upstream.play(json({ error: { message: "no" } }, 400));
    const { path, body: base } = requests.responses;
    const input = [
      { role: "user", content: "a" },
      { type: "compaction_trigger" },
      { role: "user", content: "b" },
    ];
    const asked = { ...base, model: "sold-chat", max_output_tokens: 700, input };
    const plain = { ...asked, input: "a" };
    expect((await causeway.call("POST", path, { token, body: plain })).status).toBe(400);
    expect((await causeway.call("POST", path, { token, body: asked })).status).toBe(402);
  });

  it.each([
    ["tools", { tools: [{ type: "function", function: { name: "f", description: words } }] }],
    ["a schema", { response_format: { type: "json_schema", json_schema: { description: words } } }],
    ["calls of tools", { messages: [{ role: "assistant", tool_calls: [call] }] }],
    ["a file", { messages: [{ role: "user", content: [file] }] }],
    [
      "pictures",
      { messages: [{ role: "user", content: Array.from({ length: 20 }, () => picture) }] },
    ],
  ])("includes %s", async (_what, more) => {
    const { token } = await payer(0.01);
    const answered = await causeway.call("POST", "/v1/chat/completions", {
      token,
      body: { ...body, ...more },
    });
    expect(answered).toMatchObject({ status: 402, body: { error: { code: "byo_url" } } });
  });
});
