import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { generateCredentialToken } from "../../../src/platform/crypto/token.ts";
import { json, late, reset, stall, stream, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream, type AppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp, ModelAppOptions } from "../model-app.ts";
import { streamFrames } from "../stream-frames.ts";

interface Setup extends AppWithUpstream {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

async function start(options: ModelAppOptions = {}): Promise<Setup> {
  const started = await startAppWithUpstream(options);
  return { ...started, ...clients(started.app, started.app.token) };
}

function clients(app: ModelApp, apiKey: string) {
  return {
    openai: new OpenAI({ baseURL: `${app.origin}/v1`, apiKey, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: app.origin, apiKey, maxRetries: 0 }),
  };
}

const messages = [{ role: "user" as const, content: "hi" }];
const chatCall = { model: "custom/acme/m", messages };
const responsesCall = { model: "code/m", input: "hi" };
const messagesCall = { model: "custom/mess/m", messages, max_tokens: 10 };

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("resolved");
    },
    (error: unknown) => error,
  );
}

function slowly(name: keyof typeof streamFrames): Script {
  return late(150, stream(streamFrames[name], { everyMs: 100 }));
}

async function iterate(items: Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const item of await items) void item;
}

/** What the three clients throw for the same cause. */
async function thrownBy({ openai, anthropic }: Pick<Setup, "openai" | "anthropic">) {
  return {
    chat: await rejection(openai.chat.completions.create(chatCall)),
    responses: await rejection(openai.responses.create(responsesCall)),
    messages: await rejection(anthropic.messages.create(messagesCall)),
  };
}

describe("the official clients", () => {
  it("[service.three-styles] [call.stream] get whole answers", async () => {
    const { upstream, openai, anthropic } = await start();
    const choices = [
      { index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" },
    ];
    upstream.playOnce(json({ id: "1", object: "chat.completion", choices }));
    expect((await openai.chat.completions.create(chatCall)).choices[0]?.message.content).toBe(
      "yes",
    );
    const part = { type: "output_text", text: "yes", annotations: [] };
    const output = [{ id: "msg_1", type: "message", role: "assistant", content: [part] }];
    upstream.playOnce(json({ id: "resp_1", object: "response", status: "completed", output }));
    expect((await openai.responses.create(responsesCall)).output_text).toBe("yes");
    const content = [{ type: "text", text: "yes" }];
    upstream.playOnce(json({ id: "msg_1", type: "message", role: "assistant", content }));
    expect((await anthropic.messages.create(messagesCall)).content).toEqual(content);
  });

  it("[call.stream] get streams, raw and through their helpers", async () => {
    const { upstream, openai, anthropic } = await start();
    upstream.play((response, request) => {
      const name = request.path.split("/")[2] === "chat" ? "chat" : request.path.split("/")[2];
      const frames = streamFrames[name as keyof typeof streamFrames];
      return stream(frames, { everyMs: 1 })(response, request);
    });
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ ...chatCall, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("Hé!");
    expect(await openai.chat.completions.stream(chatCall).finalContent()).toBe("Hé!");
    const response = await openai.responses.stream(responsesCall).finalResponse();
    expect([response.status, response.output_text]).toEqual(["completed", "Hé!"]);
    const message = await anthropic.messages.stream(messagesCall).finalMessage();
    expect([message.stop_reason, message.content]).toEqual([
      "end_turn",
      [{ type: "text", text: "Hé!" }],
    ]);
  });

  it("live through keep-alives and an early beginning", async () => {
    const { upstream, openai, anthropic } = await start({
      callLimits: { commitMs: 40, keepAliveMs: 40 },
    });
    upstream.playOnce(slowly("chat"), slowly("responses"), slowly("messages"));
    expect(await openai.chat.completions.stream(chatCall).finalContent()).toBe("Hé!");
    const response = await openai.responses.stream(responsesCall).finalResponse();
    expect(response.output_text).toBe("Hé!");
    const message = await anthropic.messages.stream(messagesCall).finalMessage();
    expect(message.stop_reason).toBe("end_turn");
  });

  it("throw their own classes, with code, message and request id, for refusals", async () => {
    const { app } = await start();
    const {
      chat,
      responses,
      messages: thrown,
    } = await thrownBy(clients(app, generateCredentialToken("cwk")));
    for (const error of [chat, responses]) {
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ code: "unauthorized", type: "authentication_error" });
      expect((error as { requestID: string }).requestID).toMatch(/^req_/);
    }
    expect(thrown).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(thrown).toMatchObject({ errorCode: "unauthorized", type: "authentication_error" });
    expect((thrown as { requestID: string }).requestID).toMatch(/^req_/);
  });

  it.each([
    [400, "BadRequestError"],
    [403, "PermissionDeniedError"],
    [404, "NotFoundError"],
    [409, "ConflictError"],
    [422, "UnprocessableEntityError"],
    [429, "RateLimitError"],
    [500, "InternalServerError"],
  ] as const)("throw the class of an upstream's %i", async (status, name) => {
    const setup = await start();
    setup.upstream.play(json({ error: { message: "Their words" } }, status));
    const thrown = await thrownBy(setup);
    expect(thrown.chat).toBeInstanceOf(OpenAI[name]);
    expect(thrown.responses).toBeInstanceOf(OpenAI[name]);
    expect(thrown.messages).toBeInstanceOf(Anthropic[name]);
    for (const error of Object.values(thrown)) expect(String(error)).toContain("Their words");
  });

  it("[break-off.stream] throw when a stream breaks off, is cut short or falls silent", async () => {
    const { upstream, openai, anthropic } = await start({ limits: { idleMs: 150 } });
    for (const [ending, code] of [
      ["end", "upstream_incomplete"],
      ["reset", "upstream_incomplete"],
      ["stall", "upstream_timeout"],
    ] as const) {
      const cut = (name: keyof typeof streamFrames) =>
        stream(streamFrames[name].slice(0, 3), { everyMs: 5, ending });
      upstream.playOnce(
        cut("chat"),
        cut("chat"),
        cut("responses"),
        cut("responses"),
        cut("messages"),
      );
      const chat = iterate(openai.chat.completions.create({ ...chatCall, stream: true }));
      await expect(chat).rejects.toMatchObject({ code });
      await expect(openai.chat.completions.stream(chatCall).finalContent()).rejects.toMatchObject({
        code,
      });
      const raw = iterate(openai.responses.create({ ...responsesCall, stream: true }));
      await expect(raw).rejects.toMatchObject({ code });
      const helper = openai.responses.stream(responsesCall).finalResponse();
      await expect(helper).rejects.toMatchObject({ code });
      const message = anthropic.messages.stream(messagesCall).finalMessage();
      await expect(message).rejects.toMatchObject({ errorCode: code });
    }
  });

  it("retry by themselves what they should", async () => {
    const { app, upstream } = await start();
    const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token });
    upstream.playOnce(
      json({ error: { message: "busy" } }, 503, { "retry-after": "0" }),
      json({ id: "1" }),
    );
    expect((await openai.chat.completions.create(chatCall)).id).toBe("1");
    expect(app.records.map(({ status }) => status)).toEqual([503, 200]);
  });

  it("[hang-up.cancel] cancel the upstream when they abort", async () => {
    const { app, upstream, openai, anthropic } = await start();
    upstream.play(stall);
    const abort = new AbortController();
    const both = [
      openai.chat.completions.create({ ...chatCall, stream: true }, { signal: abort.signal }),
      anthropic.messages.create(messagesCall, { signal: abort.signal }),
    ].map((promise) => promise.catch((error: unknown) => error));
    const [first, second] = [await upstream.request(0), await upstream.request(1)];
    abort.abort();
    await Promise.all([...both, first.closed, second.closed]);
    expect([await app.record(0), await app.record(1)].map(({ status }) => status)).toEqual([
      499, 499,
    ]);
  });

  it("see an upstream that is away as an error of the server", async () => {
    const setup = await start();
    setup.upstream.play(reset);
    const thrown = await thrownBy(setup);
    expect(thrown.chat).toMatchObject({ status: 502, code: "upstream_unreachable" });
    expect(thrown.messages).toMatchObject({ status: 502, errorCode: "upstream_unreachable" });
  });
});
