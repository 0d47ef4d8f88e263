import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { AliasRouting } from "../../../src/domain/alias-target.ts";
import { json, stream, type Script } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import type { ModelApp } from "../model-app.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { ask, models, type Body, type Pair } from "./pairs.ts";
import { wordsFrame } from "./upstream-frames.ts";

const sequence = "\nObservation:";
const before = "Thought: Ünïcode 🙂\nAction: look";
const said = `${before}${sequence} it is made up.`;

const content = [{ role: "user" as const, content: "How is the weather?" }];

/** What a caller was told: text, why it ended, the sequence if its dialect names it, and tokens. */
interface Told {
  readonly text: string;
  readonly end: readonly unknown[];
  readonly output: number | undefined;
}

type Ask = (app: ModelApp, stop?: string | string[]) => Promise<Told>;

const strict = { headers: { "x-svc-strict": "true" } };

function openai(app: ModelApp): OpenAI {
  return new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
}

function anthropic(app: ModelApp): Anthropic {
  return new Anthropic({ baseURL: app.origin, apiKey: app.token, maxRetries: 0 });
}

function readChat({ choices: [choice], usage }: OpenAI.ChatCompletion): Told {
  const text = choice?.message.content ?? "";
  return { text, end: [choice?.finish_reason], output: usage?.completion_tokens };
}

function readMessage({ content: [block], usage, ...message }: Anthropic.Message): Told {
  const text = block?.type === "text" ? block.text : "";
  return {
    text,
    end: [message.stop_reason, message.stop_sequence],
    output: usage.output_tokens,
  };
}

const chatBody = (stop: string | string[]) => ({
  model: models.responses,
  messages: content,
  stop,
});

const messagesBody = (stop: string | string[]) => ({
  model: models.responses,
  max_tokens: 100,
  messages: content,
  stop_sequences: [stop].flat(),
});

const asks: Record<"chat" | "messages", { readonly whole: Ask; readonly streamed: Ask }> = {
  chat: {
    whole: async (app, stop = sequence) =>
      readChat(await openai(app).chat.completions.create(chatBody(stop), strict)),
    streamed: async (app, stop = sequence) => {
      const body = { ...chatBody(stop), stream_options: { include_usage: true } };
      const answer = openai(app).chat.completions.stream(body, strict);
      return readChat(await answer.finalChatCompletion());
    },
  },
  messages: {
    whole: async (app, stop = sequence) =>
      readMessage(await anthropic(app).messages.create(messagesBody(stop), strict)),
    streamed: async (app, stop = sequence) =>
      readMessage(await anthropic(app).messages.stream(messagesBody(stop), strict).finalMessage()),
  },
};

const ends = {
  chat: { atStop: ["stop"], natural: ["stop"] },
  messages: { atStop: ["stop_sequence", sequence], natural: ["end_turn", null] },
};

const { frames, whole } = responseFixtures.responses;

function words(pieces: readonly string[]): readonly string[] {
  return [...frames.slice(0, 4), ...pieces.map((piece) => wordsFrame("responses", piece))];
}

/** Says this, and would go on for ever. */
function endless(...pieces: readonly string[]): Script {
  return stream(words(pieces), { ending: "stall" });
}

function message(text: string): Body {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = { id: "msg_up", type: "message", role: "assistant", status: "completed" };
  return { ...(whole as Body), output: [{ ...item, content: [part] }] };
}

describe.each(["chat", "messages"] as const)(
  "a stop sequence on a responses upstream, %s caller",
  (caller) => {
    const { atStop, natural } = ends[caller];

    it("[client-fields.stop] ends a stream before it, and the upstream's call", async () => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(endless("Thought: Ünïcode 🙂\n", "Action: look\nObs", "ervation: it"));
      const told = await asks[caller].streamed(app);
      expect(told).toEqual({ text: before, end: atStop, output: Math.ceil(before.length / 4) });
      const request = await upstream.request(0);
      await request.closed;
      expect(JSON.parse(String(request.body))).not.toHaveProperty("stop");
      expect(await app.record(0)).toMatchObject({ status: 200, isAborted: false });
      expect(app.notes[0]).toMatchObject({ isEstimated: true });
    });

    it("[client-fields.stop] ends a stream at the same place, wherever it is split", async () => {
      const { app, upstream } = await startAppWithUpstream();
      for (let at = 0; at <= said.length; at++) {
        upstream.play(endless(said.slice(0, at), said.slice(at)));
        const { text, end } = await asks[caller].streamed(app);
        expect([at, text, end]).toEqual([at, before, atStop]);
      }
    });

    it("[client-fields.stop] ends a whole answer before it, with the usage that was told", async () => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(json(message(said)));
      expect(await asks[caller].whole(app)).toEqual({ text: before, end: atStop, output: 7 });
      expect(app.notes[0]).toMatchObject({ isEstimated: false });
    });

    it("ends a whole answer that came as a stream", async () => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.play(endless(said));
      const { text, end } = await asks[caller].whole(app);
      expect([text, end]).toEqual([before, atStop]);
    });

    it("that was not written changes nothing", async () => {
      const { app, upstream } = await startAppWithUpstream();
      const unlike = said.slice(0, before.length + 5);
      const finished = { type: "response.completed", response: message(unlike) };
      upstream.playOnce(
        stream([...words([unlike]), `data: ${JSON.stringify(finished)}\n\n`]),
        json(message(unlike)),
      );
      const told = { text: unlike, end: natural, output: 7 };
      expect(await asks[caller].streamed(app)).toEqual(told);
      expect(await asks[caller].whole(app)).toEqual(told);
    });

    it("is not looked for in the arguments of a call", async () => {
      const { app, upstream } = await startAppWithUpstream();
      upstream.playOnce(stream(frames), json(whole));
      const callEnds = { chat: ["tool_calls"], messages: ["tool_use", null] }[caller];
      const told = { text: "Hé! 🙂", end: callEnds, output: 7 };
      expect(await asks[caller].streamed(app, ["city", "Zürich"])).toEqual(told);
      expect(await asks[caller].whole(app, ["city", "Zürich"])).toEqual(told);
    });
  },
);

describe("a target of an alias whose answers end at a stop sequence", () => {
  const pool: AliasRouting = {
    targets: [
      { vendor: "code", modelId: "up" },
      { vendor: "custom/acme", modelId: "spare" },
    ],
    strategy: "order",
    affinity: "none",
  };
  const pair: Pair = { caller: "chat", upstream: "responses" };

  it("has served its calls", async () => {
    const { app, upstream } = await startAppWithUpstream({ aliases: { pool } });
    const busy = json({ error: { message: "Busy." } }, 500);
    const failing = Array.from({ length: 4 }, () => [
      busy,
      json(responseFixtures.chat.whole),
    ]).flat();
    upstream.playOnce(...failing, endless(said), ...failing);
    upstream.play(json(whole));
    const targets: unknown[] = [];
    for (let index = 0; index < 10; index++) {
      const more = index === 4 ? { stream: true, stop: sequence } : {};
      const { headers } = await ask(app, pair, { model: "@pool", ...more });
      targets.push(headers["x-svc-target"]);
    }
    const spare = Array.from({ length: 4 }, () => "custom/acme/spare");
    expect(targets).toEqual([...spare, "code/up", ...spare, "code/up"]);
  });
});
