import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { cited, filed } from "./response-kinds.ts";
import type { CallerName } from "./clients.ts";
import { ask, crossPairs, models, textOf } from "./pairs.ts";

/** The words that each official client reads, and the warnings beside them. */
async function read(app: ModelApp, caller: CallerName, model: string) {
  const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: app.origin, apiKey: app.token, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hello" }];
  const asked = {
    chat: async () => {
      const create = openai.chat.completions.create({ model, messages });
      const { data, response } = await create.withResponse();
      return { text: data.choices[0]?.message.content, response };
    },
    responses: async () => {
      const { data, response } = await openai.responses
        .create({ model, input: "hello" })
        .withResponse();
      return { text: data.output_text, response };
    },
    messages: async () => {
      const create = anthropic.messages.create({ model, max_tokens: 100, messages });
      const { data, response } = await create.withResponse();
      const texts = data.content.map((block) => (block.type === "text" ? block.text : ""));
      return { text: texts.join(""), response };
    },
  };
  const { text, response } = await asked[caller]();
  return { text, warnings: response.headers.get("x-svc-warnings") };
}

/** Where each upstream names a source that has no address. */
const losses = {
  messages: { text: "It will rain.", path: "content[1].citations[0]" },
  responses: { text: "Rain.", path: "output[0].content[0].annotations[1]" },
};

const pairs = crossPairs.flatMap(({ caller, upstream }) =>
  upstream === "chat" ? [] : [{ caller, upstream }],
);

describe.each(pairs)("sources without an address, $caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: from } = pair;
  const { text, path } = losses[from];
  const warnings = `"${path}";action=dropped;reason=unsupported`;

  it("[answer.lost-citations] are told to be left out of a whole answer", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json(filed[from]));
    expect(await read(app, caller, models[from])).toEqual({ text, warnings });
  });

  it("are told to be left out of a stream that was whole at the upstream", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json(filed[from]));
    const reply = await ask(app, pair, { stream: true });
    expect(textOf(caller, reply.text)).toBe(text);
    expect(reply.headers["x-svc-warnings"]).toBe(warnings);
  });
});

it.each(crossPairs)(
  "a source with an address makes no warning, $caller caller, $upstream upstream",
  async ({ caller, upstream: from }) => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json(cited[from]));
    expect(await read(app, caller, models[from])).toEqual({ text: "Rain.", warnings: null });
  },
);

it("a source of a compatible server's own kind is told to be left out, too", async () => {
  const { app, upstream } = await startAppWithUpstream();
  const own = { type: "file_citation", file_citation: { file_id: "f" } };
  const message = { role: "assistant", content: "Rain.", annotations: [own] };
  upstream.play(json({ ...cited.chat, choices: [{ index: 0, message, finish_reason: "stop" }] }));
  expect(await read(app, "messages", models.chat)).toEqual({
    text: "Rain.",
    warnings: `"choices[0].message.annotations[0]";action=dropped;reason=unsupported`,
  });
});
