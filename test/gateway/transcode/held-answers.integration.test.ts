/** Answers that are translated, of accounts that may hold one mebibyte. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, startAgentCaller, type UpstreamDialect } from "../agent/agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({ file: { limits: { held_bodies_mib: 4, max_body_mib: 1 } } });
});

afterAll(() => causeway.close());

const refusal = "The upstream sent more of an answer than may be held";
const pieces = 64;
const text = "a".repeat(64 * 1024);
const wide = `${"a".repeat(20_000)}\u0416`;

type Json = Record<string, unknown>;

/** A stream that repeats one event: its beginning, and what is repeated. */
interface Form {
  readonly dialect: UpstreamDialect;
  readonly begin?: Json;
  readonly repeat: (index: number) => Json;
}

function chat(delta: Json): Form {
  return {
    dialect: "dialect_chat",
    repeat: () => ({ id: "c", choices: [{ index: 0, delta }] }),
  };
}

function messages(content_block: Json, delta: Json): Form {
  return {
    dialect: "dialect_messages",
    begin: { type: "content_block_start", index: 0, content_block },
    repeat: () => ({ type: "content_block_delta", index: 0, delta }),
  };
}

const forms: Record<string, Form> = {
  "a text": chat({ content: text }),
  "a text with few characters of two bytes": {
    dialect: "dialect_chat",
    repeat: (index) => ({
      choices: [{ index: 0, delta: { content: index < 40 ? wide : "" } }],
    }),
  },
  "arguments of a call without a name": chat({
    tool_calls: [{ index: 0, id: "c", function: { arguments: text } }],
  }),
  "calls without a name": {
    dialect: "dialect_chat",
    repeat: (at) => {
      const tool_calls = Array.from({ length: 100 }, (_, index) => ({ index: at * 100 + index }));
      return { choices: [{ index: 0, delta: { tool_calls } }] };
    },
  },
  "arguments of a wrapped tool in another shape": chat({
    tool_calls: [{ index: 0, id: "c", function: { name: "c", arguments: `{"x":"${text}` } }],
  }),
  "log probabilities": {
    dialect: "dialect_chat",
    repeat: () => {
      const top_logprobs = Array.from({ length: 500 }, () => ({ token: "", logprob: -1 }));
      const content = [{ token: "a", logprob: -1, top_logprobs }];
      return { choices: [{ index: 0, delta: { content: "a" }, logprobs: { content } }] };
    },
  },
  citations: messages(
    { type: "text", text: "" },
    { type: "citations_delta", citation: { type: "other", cited_text: text } },
  ),
  "the input of a server tool": messages(
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    { type: "input_json_delta", partial_json: text },
  ),
  "the text of an unknown block": messages({ type: "new" }, { type: "text_delta", text }),
  "unknown blocks": {
    dialect: "dialect_messages",
    repeat: (index) => ({
      type: "content_block_start",
      index,
      content_block: { type: "new", text },
    }),
  },
  "signatures of blocks that do not end": {
    dialect: "dialect_messages",
    repeat: (index) => ({
      type: "content_block_start",
      index,
      content_block: { type: "thinking", thinking: "", signature: text },
    }),
  },
  "sealed reasoning": {
    dialect: "dialect_responses",
    repeat: (output_index) => ({
      type: "response.output_item.done",
      output_index,
      item: { type: "reasoning", id: "r", summary: [], encrypted_content: text },
    }),
  },
};

/** Sends the stream until its reader hangs up. */
function play({ dialect, begin, repeat }: Form) {
  return async (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const start = { type: "message_start", message: { content: [], usage: {} } };
    if (dialect === "dialect_messages") response.write(`data: ${JSON.stringify(start)}\n\n`);
    if (begin !== undefined) response.write(`data: ${JSON.stringify(begin)}\n\n`);
    for (let index = 0; index < pieces && !response.destroyed; index++) {
      if (response.write(`data: ${JSON.stringify(repeat(index))}\n\n`)) continue;
      await new Promise<void>((resolve) => {
        response.once("drain", resolve);
        response.once("close", resolve);
      });
    }
    response.end();
  };
}

async function callWith(dialect: UpstreamDialect, script: (response: ServerResponse) => unknown) {
  const { secret, upstream } = await startAgentCaller(causeway, dialect);
  upstream.play(script);
  const isResponses = dialect !== "dialect_responses";
  const tools = isResponses
    ? [{ type: "custom", name: "c" }]
    : [{ name: "f", input_schema: { type: "object" } }];
  const asked = isResponses
    ? { input: "Hi?", store: false }
    : { messages: [{ role: "user", content: "Hi?" }], max_tokens: 5 };
  const answer = await fetch(`${causeway.url}${isResponses ? "/v1/responses" : "/v1/messages"}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, tools, ...asked }),
  });
  return await answer.text();
}

describe("a translated stream of more than its account may hold", () => {
  it.each(Object.entries(forms))("is refused for %s", async (_what, form) => {
    const answer = await callWith(form.dialect, play(form));
    expect(answer.slice(-2000)).toContain(refusal);
  });
});

describe("a whole translated answer", () => {
  it.each([
    ["is refused", "when its account may not hold its body and its texts", 700],
    ["is relayed", "when its account may hold both", 300],
  ])("%s %s", async (_told, _what, kibibytes) => {
    const content = "a".repeat(kibibytes * 1024);
    const body = JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] });
    const answer = await callWith("dialect_chat", (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(body);
    });
    expect(answer.includes(refusal)).toBe(kibibytes > 512);
  });
});
