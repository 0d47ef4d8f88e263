import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { readError } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { ask, crossPairs, models, type Body, type Pair } from "./pairs.ts";

async function start({ upstream: from }: Pair) {
  const { app, upstream } = await startAppWithUpstream();
  upstream.play(json(responseFixtures[from].whole));
  return { app, upstream };
}

const fromMessages = crossPairs.filter(({ caller }) => caller === "messages");

describe.each(fromMessages)("context_management, $upstream upstream", (pair) => {
  const clear = "clear_thinking_20251015";

  it.each(["all", { type: "all" }])(
    "[client-fields.context-management] that keeps everything asks for nothing: keep %j",
    async (keep) => {
      const { app, upstream } = await start(pair);
      const context_management = { edits: [{ type: clear, keep }] };
      const reply = await ask(app, pair, { context_management }, { "x-svc-strict": "true" });
      expect(reply.status).toBe(200);
      expect(reply.headers["x-svc-warnings"]).toBeUndefined();
      expect((await upstream.request(0)).body.toString()).not.toContain("context_management");
    },
  );

  it("[client-fields.context-management] that clears something is left out, edit by edit, and told", async () => {
    const { app, upstream } = await start(pair);
    const edits = [
      { type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 100_000 } },
      { type: clear, keep: "all" },
      { type: clear, keep: { type: "thinking_turns", value: 1 } },
      { type: clear },
      { type: "compact_20260112" },
    ];
    const reply = await ask(app, pair, { context_management: { edits } });
    expect(reply.status).toBe(200);
    expect(reply.headers["x-svc-warnings"]).toBe(
      [0, 2, 3, 4]
        .map((at) => `"context_management.edits[${at}]";action=dropped;reason=unsupported`)
        .join(", "),
    );
    expect((await upstream.request(0)).body.toString()).not.toContain("context_management");
  });
});

describe.each(crossPairs)("$caller caller, $upstream upstream", (pair) => {
  const own = { chat: [], messages: [], responses: ["conversation", "previous_response_id"] };
  const fields: Body = {
    thread: { type: "create" },
    compaction: { type: "summarize" },
    conversation: { id: "conv_1" },
    previous_response_id: "resp_1",
  };

  it.each(Object.keys(fields))(
    "[client-fields.history] %s is refused, for it is about the history",
    async (name) => {
      const { app, upstream } = await start(pair);
      const reply = await ask(app, pair, { [name]: fields[name] });
      expect([reply.status, readError(reply.body).param]).toEqual([400, name]);
      expect(readError(reply.body).message).toMatch(/Send the whole conversation/);
      expect(upstream.requests).toHaveLength(0);
      if (own[pair.caller].some((known) => known === name)) return;
      expect((await ask(app, pair, { [name]: null })).status).toBe(200);
    },
  );

  it("a context_management that is a list is left out and told", async () => {
    const { app } = await start(pair);
    const context_management = [{ type: "compaction", compact_threshold: 1000 }];
    const reply = await ask(app, pair, { context_management });
    expect(reply.status).toBe(200);
    expect(reply.headers["x-svc-warnings"]).toMatch(
      /"context_management\[0\]";action=dropped;reason=unsupported/,
    );
  });
});

describe.each(fromMessages)("threads of the official client, $upstream upstream", (pair) => {
  const thread_unsupported = {
    error_code: "thread_unsupported_request",
    param: "thread",
    unsupported: ["thread"],
  };

  it("[client-fields.thread] are refused in the vendor's words", async () => {
    const { app } = await start(pair);
    const { status, body } = await ask(app, pair, { thread: { type: "create" } });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { type: "invalid_request_error", details: thread_unsupported },
    });
  });

  it("[client-fields.thread] go on with whole histories", async () => {
    const { app, upstream } = await start(pair);
    const client = new Anthropic({ baseURL: app.origin, apiKey: app.token, maxRetries: 0 });
    const runner = client.beta.messages.toolRunner({
      model: models[pair.upstream],
      max_tokens: 100,
      max_iterations: 2,
      messages: [{ role: "user", content: "How is the weather in Zürich?" }],
      tools: [
        {
          type: "custom",
          name: "weather",
          input_schema: { type: "object", properties: { city: { type: "string" } } },
          run: () => "sun",
          parse: (input: unknown) => input,
        },
      ],
    });
    await runner.runUntilDone();
    const second = (await upstream.request(1)).body.toString();
    expect(second).toContain("How is the weather");
    expect(second).toContain("sun");
    expect(second).not.toContain("thread");
  });
});
