import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { responseFixtures } from "./response-fixtures.ts";
import type { CallerName } from "./clients.ts";
import { models, type Body } from "./pairs.ts";

/** A whole answer in which the upstream says which tier served it; undefined: it does not. */
function wholeWith(from: CallerName, tier: string | undefined): Body {
  const whole = responseFixtures[from].whole as Body;
  if (tier === undefined) return whole;
  if (from !== "messages") return { ...whole, service_tier: tier };
  return { ...whole, usage: { ...(whole["usage"] as Body), service_tier: tier } };
}

/** The same as a stream: on every chunk, in `message_start`, in the responses of both ends. */
function framesWith(from: CallerName, tier: string | undefined): string[] {
  return responseFixtures[from].frames.map((frame) => {
    const at = frame.indexOf("{");
    if (at === -1 || tier === undefined) return frame;
    const data = JSON.parse(frame.slice(at)) as Record<string, unknown>;
    return `${frame.slice(0, at)}${JSON.stringify(tiered(from, data, tier))}\n\n`;
  });
}

function tiered(from: CallerName, data: Record<string, unknown>, tier: string): Body {
  if (from === "chat") return { ...data, service_tier: tier };
  const member = from === "messages" ? "message" : "response";
  const holder = data[member] as Body | undefined;
  if (holder === undefined) return data;
  if (from === "responses") return { ...data, response: { ...holder, service_tier: tier } };
  const usage = { ...(holder["usage"] as Body), service_tier: tier };
  return { ...data, message: { ...holder, usage } };
}

/** What each official client says served it. */
function tierOf(app: ModelApp, caller: CallerName, model: string, isStream: boolean) {
  const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: app.origin, apiKey: app.token, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hello" }];
  const asked = {
    chat: async () =>
      isStream
        ? openai.chat.completions.stream({ model, messages }).finalChatCompletion()
        : openai.chat.completions.create({ model, messages }),
    responses: async () =>
      isStream
        ? openai.responses.stream({ model, input: "hello" }).finalResponse()
        : openai.responses.create({ model, input: "hello" }),
    messages: async () => {
      const body = { model, max_tokens: 100, messages };
      const answer = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body);
      return answer.usage;
    },
  };
  return asked[caller]().then(({ service_tier: tier }) => tier);
}

/** Caller, upstream, what the upstream says, what the caller hears. */
const rows: readonly (readonly [CallerName, CallerName, string | undefined, unknown])[] = [
  ["chat", "messages", "standard", "default"],
  ["chat", "messages", "priority", "priority"],
  ["chat", "messages", "batch", "default"],
  ["chat", "messages", undefined, undefined],
  ["chat", "responses", "flex", "flex"],
  ["chat", "responses", "default", "default"],
  ["responses", "messages", "standard", "default"],
  ["responses", "messages", "priority", "priority"],
  ["responses", "messages", "batch", "default"],
  ["responses", "messages", undefined, "default"],
  ["responses", "chat", "priority", "priority"],
  ["responses", "chat", undefined, "default"],
  ["messages", "chat", "default", "standard"],
  ["messages", "chat", "priority", "priority"],
  ["messages", "chat", "flex", undefined],
  ["messages", "chat", undefined, undefined],
  ["messages", "responses", "default", "standard"],
];

describe.each([false, true])("the tier that served an answer (stream %s)", (isStream) => {
  it.each(rows)(
    "[answer.absent-not-null] %s caller, %s upstream, %s: %s",
    async (caller, from, said, heard) => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(isStream ? stream(framesWith(from, said)) : json(wholeWith(from, said)));
      expect(await tierOf(app, caller, models[from], isStream)).toBe(heard);
      expect(app.faults).toEqual([]);
    },
  );

  it("is the upstream's word where the caller asked for another", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(
      isStream ? stream(framesWith("chat", "default")) : json(wholeWith("chat", "default")),
    );
    const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
    const body = { model: models.chat, input: "hello", service_tier: "flex" as const };
    const answer = isStream
      ? await openai.responses.stream(body).finalResponse()
      : await openai.responses.create(body);
    expect(answer.service_tier).toBe("default");
  });
});
