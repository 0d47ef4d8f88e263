import { describe, expect, it } from "vitest";
import type { ConformanceDialect } from "../../../src/conformance/dialect/conformance-dialect.ts";
import { chatConformanceDialect } from "../../../src/conformance/dialect/chat/index.ts";
import { messagesConformanceDialect } from "../../../src/conformance/dialect/messages/index.ts";
import { responsesConformanceDialect } from "../../../src/conformance/dialect/responses/index.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { models, paths, type Body, type Pair } from "./pairs.ts";

const speeches: Record<string, ConformanceDialect> = {
  chat: chatConformanceDialect,
  messages: messagesConformanceDialect,
  responses: responsesConformanceDialect,
};

/** What a vendor sealed; it must have it back byte for byte, and nobody else may. */
const sealed = "SEALED-BY-THE-VENDOR==";
const thought = "Two and two. ";

const named = (event: { readonly type: string }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const messagesWhole = responseFixtures.messages.whole as Body;
const thinking = { type: "thinking", thinking: thought, signature: sealed };
const text = { type: "text", text: "Four." };
const thinkingMessage = { ...messagesWhole, content: [thinking, text], stop_reason: "end_turn" };

const responsesWhole = responseFixtures.responses.whole as Body;
const reasoning = {
  id: "rs_up",
  type: "reasoning",
  summary: [{ type: "summary_text", text: thought }],
  encrypted_content: sealed,
  status: "completed",
};
const [item] = responsesWhole["output"] as Body[];
const reasoned = { ...responsesWhole, output: [reasoning, item] };

const wholes = { messages: thinkingMessage, responses: reasoned };

const streams = {
  messages: [
    {
      type: "message_start",
      message: { ...thinkingMessage, content: [], stop_reason: null },
    },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: thought } },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: sealed },
    },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Four." } },
    { type: "content_block_stop", index: 1 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: "message_stop" },
  ],
  responses: [
    { type: "response.created", response: { ...reasoned, status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...reasoning, summary: [], status: "in_progress" },
    },
    {
      type: "response.reasoning_summary_part.added",
      item_id: "rs_up",
      output_index: 0,
      summary_index: 0,
      part: { type: "summary_text", text: "" },
    },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_up",
      output_index: 0,
      summary_index: 0,
      delta: thought,
    },
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    { type: "response.output_item.added", output_index: 1, item: { ...item, content: [] } },
    { type: "response.output_item.done", output_index: 1, item },
    { type: "response.completed", response: reasoned },
  ],
};

const pairs = [
  { caller: "chat", upstream: "messages", foreign: "custom/other/up" },
  { caller: "responses", upstream: "messages", foreign: "custom/other/up" },
  { caller: "chat", upstream: "responses", foreign: "custom/other/up" },
  { caller: "messages", upstream: "responses", foreign: models.chat },
] as const;

/** What each caller says to have the thoughts back. */
const extras = {
  chat: {},
  messages: {},
  responses: { store: false, include: ["reasoning.encrypted_content"] },
};

describe.each(pairs)("sealed thoughts, $caller caller, $upstream upstream", (row) => {
  const { caller, upstream: from, foreign } = row;
  const speech = speeches[caller] ?? chatConformanceDialect;
  const pair: Pair = row;

  /** Asks once, and gives the history with the answer as the caller would send it back. */
  async function begin(isStream: boolean) {
    const { app, upstream } = await startAppWithUpstream();
    const baseUrl = new URL(`${upstream.origin}/v1`);
    app.addEndpoint({ slug: "other", dialect: "dialect_messages", baseUrl });
    upstream.playOnce(isStream ? stream(streams[from].map(named)) : json(wholes[from]));
    const first = { type: "user", text: "2+2?" } as const;
    const question = { ...speech.request({ messages: [first] }, models[from]), ...extras[caller] };
    const reply = await call(app, paths[pair.caller], { ...question, stream: isStream });
    const body = isStream
      ? speech.accumulate(parseEventStreamText(reply.text))
      : (reply.body as Body);
    const turns = [first, { type: "answer", body }, { type: "user", text: "Sure?" }] as const;
    const next = { ...speech.request({ messages: turns }, models[from]), ...extras[caller] };
    return { app, upstream, reply, next };
  }

  async function goOn(isStream: boolean, model: string, change = (body: string) => body) {
    const { app, upstream, reply, next } = await begin(isStream);
    upstream.play(json(responseFixtures.chat.whole));
    const second = await call(app, paths[caller], change(JSON.stringify({ ...next, model })));
    const sent = (await upstream.request(1)).body.toString();
    return { first: reply, second, sent };
  }

  it.each([false, true])(
    "[thought.replayed] [thought.sealed] come back to their vendor (stream %s)",
    async (isStream) => {
      const { first, sent } = await goOn(isStream, models[from]);
      expect(sent).toContain(sealed);
      expect(sent).toContain(thought.trim());
      expect(sent).not.toContain("cw1.");
      expect(first.text).not.toContain(sealed);
    },
  );

  it.each([false, true])(
    "[thought.other-vendor] never go to another vendor, and the rest does (stream %s)",
    async (isStream) => {
      const { second, sent } = await goOn(isStream, foreign);
      expect(sent).not.toContain(sealed);
      expect(sent).not.toContain("cw1.");
      expect(sent).not.toContain(thought.trim());
      expect(sent).toContain("Four.".slice(0, from === "messages" ? 5 : 0));
      expect(sent).toContain("Sure?");
      expect(second.headers["x-svc-warnings"]).toMatch(
        /action=dropped;reason=(?:foreign|unsupported)/,
      );
    },
  );

  it("[thought.tampered] are dropped when somebody has changed them", async () => {
    const { second, sent } = await goOn(false, models[from], (body) =>
      body.replaceAll(/cw1\.(.)/g, (_all, letter: string) => `cw1.${letter === "A" ? "B" : "A"}`),
    );
    expect(sent).not.toContain(sealed);
    expect(sent).not.toContain("cw1.");
    expect(second.headers["x-svc-warnings"]).toMatch(/action=dropped/);
  });
});
