import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  startStrictUpstream,
  type StrictUpstream,
} from "../../support/strict-upstream/start-strict-upstream.ts";
import { addUpstreams, call, catalogue, readError } from "../call.ts";
import { startModelApp, type ModelApp } from "../model-app.ts";
import { models } from "./pairs.ts";

type Item = Readonly<Record<string, unknown>>;
type Input = OpenAI.Responses.ResponseInput;

interface Stage {
  readonly app: ModelApp;
  readonly upstream: StrictUpstream;
  readonly openai: OpenAI;
}

async function start(): Promise<Stage> {
  const app = await startModelApp({ catalogue });
  const upstream = await startStrictUpstream();
  addUpstreams(app, upstream.origin);
  const openai = new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: app.token, maxRetries: 0 });
  return { app, upstream, openai };
}

const summary = "Hello there, friend.";

const tool = {
  type: "function",
  name: "read",
  description: "Reads a file.",
  strict: false,
  parameters: { type: "object", properties: { path: { type: "string" } } },
} as const;

const conversation: Input = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: "What is in the secret file?" },
  { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
  { type: "function_call_output", call_id: "c1", output: "forty-two" },
  { role: "assistant", content: "It says forty-two." },
];

const question = { role: "user", content: "say Gone on." } as const;

/** What no upstream refused of the last calls, and what the last one was sent. */
function taken({ exchanges }: StrictUpstream) {
  return exchanges.filter(({ faults }) => faults.length === 0).map(({ body }) => body);
}

function textOf(body: unknown): string {
  return JSON.stringify(body);
}

describe.each(["chat", "messages", "responses"] as const)("compaction, %s upstream", (dialect) => {
  const model = models[dialect];

  it("POST /v1/responses/compact asks the model for a summary, which stands for the conversation from then on", async () => {
    const { app, upstream, openai } = await start();
    const compacted = await openai.responses.compact({ model, input: conversation });
    expect(compacted).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: "response.compaction",
      output: [
        {
          id: expect.stringMatching(/^cmp_/),
          type: "compaction",
          encrypted_content: expect.stringMatching(/^causeway-compaction\./),
        },
      ],
    });
    expect(compacted.usage.total_tokens).toBe(
      compacted.usage.input_tokens + compacted.usage.output_tokens,
    );
    expect(compacted.usage.output_tokens).toBeGreaterThan(0);
    const [asked] = taken(upstream);
    expect(textOf(asked)).toContain("forty-two");
    expect(textOf(asked)).toContain("Write that summary now");
    const input = [...(compacted.output as Input), question];
    const answer = await openai.responses.create({ model, input });
    expect(answer.output_text).toBe("Gone on.");
    const sent = textOf(taken(upstream).at(-1));
    expect(sent).toContain(summary);
    expect(sent).not.toContain("causeway-compaction.");
    expect(sent).not.toContain("forty-two");
    expect(app.faults).toEqual([]);
    expect((await app.record(0)).operation).toBe("compactResponse");
  });

  it("[lasting.compaction-trigger] a trigger at the end is answered with the compaction alone, whole and streamed", async () => {
    const { app, openai } = await start();
    const input = [...conversation, { type: "compaction_trigger" }] as Input;
    const body = { model, input, tools: [tool], instructions: "Help." };
    const whole = await openai.responses.create(body);
    expect(whole).toMatchObject({ object: "response", status: "completed" });
    expect(whole.output.map(({ type }) => type)).toEqual(["compaction"]);
    const types: string[] = [];
    const stream = openai.responses.stream({ ...body, stream: true });
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    const streamed = await stream.finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(["compaction"]);
    expect(streamed.usage?.output_tokens).toBeGreaterThan(0);
    const answer = await openai.responses.create({
      model,
      input: [...(streamed.output as Input), question],
      tools: [tool],
    });
    expect(answer.output_text).toBe("Gone on.");
    expect(app.faults).toEqual([]);
  });

  it("[lasting.compaction-trigger] a trigger compacts at its place, and what stands behind it is answered", async () => {
    const { upstream, openai } = await start();
    const input = [...conversation, { type: "compaction_trigger" }, question] as Input;
    const stream = openai.responses.stream({ model, input, stream: true });
    const streamed = await stream.finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    expect(streamed.output_text).toBe("Gone on.");
    const [first, second] = taken(upstream);
    expect(textOf(first)).toContain("forty-two");
    expect(textOf(second)).not.toContain("forty-two");
    expect(textOf(second)).toContain(summary);
    const whole = await openai.responses.create({ model, input });
    expect(whole.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    const { usage } = await openai.responses.create({ model, input: [question] });
    expect(whole.usage?.output_tokens).toBeGreaterThan(usage?.output_tokens ?? Infinity);
  });

  it("[lasting.compaction] a broken compaction is refused with its place before anything is dialled", async () => {
    const { app, upstream, openai } = await start();
    const { output } = await openai.responses.compact({ model, input: conversation });
    const [item] = output as unknown as readonly [Item];
    const sealed = String(item["encrypted_content"]);
    const dialled = upstream.exchanges.length;
    const changed = Array.from(sealed).map((letter, at) => {
      const other = letter === "A" ? "B" : "A";
      return sealed.slice(0, at) + other + sealed.slice(at + 1);
    });
    const cut = [
      sealed.slice(0, -1),
      sealed.slice(0, -3),
      `${sealed}A`,
      `${sealed}.A`,
      "causeway-compaction.",
    ];
    const somewhere = changed
      .slice("causeway-compaction.".length)
      .filter((_text, at) => at % 16 === 0);
    for (const encrypted_content of [...cut, ...somewhere, ...changed.slice(-2)]) {
      const input = [question, { ...item, encrypted_content }];
      for (const path of ["/v1/responses", "/v1/responses/compact"]) {
        const reply = await call(app, path, { model, input });
        expect([reply.status, readError(reply.body).param]).toEqual([400, "input[1]"]);
        expect(readError(reply.body).message).toMatch(/Send the whole conversation/);
      }
    }
    expect(upstream.exchanges).toHaveLength(dialled);
  });

  it("what has nothing to compact is refused with its place", async () => {
    const { app } = await start();
    const trigger = { type: "compaction_trigger" };
    const system = { role: "developer", content: "Be brief." };
    const bare = await call(app, "/v1/responses", { model, input: [system, trigger, question] });
    expect([bare.status, readError(bare.body).param]).toEqual([400, "input[1]"]);
    const empty = await call(app, "/v1/responses/compact", { model, input: [system] });
    expect([empty.status, readError(empty.body).param]).toEqual([400, "input"]);
  });
});

describe("a vendor that compacts", () => {
  it("has its own items passed on untouched", async () => {
    const { app, upstream } = await start();
    const input = [
      { type: "compaction", encrypted_content: "theirs, not causeway-compaction. ours" },
      question,
    ];
    const reply = await call(app, "/v1/responses", { model: models.responses, input });
    expect(reply.status).toBe(400);
    expect(upstream.exchanges[0]?.body["input"]).toEqual(input);
  });
});

it.each([models.chat, models.messages])(
  "a summary of %s that is cut is no answer",
  async (model) => {
    const { app } = await start();
    const input = [...conversation, { type: "compaction_trigger" }];
    const cut = await call(app, "/v1/responses", { model, input, max_output_tokens: 1 });
    expect([cut.status, readError(cut.body).code]).toEqual([502, "upstream_malformed"]);
    expect(readError(cut.body).message).toMatch(/did not end its summary/);
    const stream = { model, input, max_output_tokens: 1, stream: true };
    const streamed = await call(app, "/v1/responses", stream);
    expect(streamed.text).not.toContain("causeway-compaction.");
    expect(streamed.text).not.toContain("response.completed");
  },
);

const word = fc.stringMatching(/^[a-zé🙂 ]{0,12}$/u);

const turnItems = fc.oneof(
  word.map((content): Item[] => [{ role: "user", content }]),
  word.map((content): Item[] => [{ role: "assistant", content: `.${content}` }]),
  word.map((content): Item[] => [{ role: "developer", content: `.${content}` }]),
  word.map((text): Item[] => [{ type: "reasoning", summary: [{ type: "summary_text", text }] }]),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((outputs): Item[] => {
    const ids = outputs.map((_text, at) => `call_${at}`);
    const call = { type: "function_call", name: "read", arguments: "{}" };
    return [
      ...ids.map((call_id) => ({ ...call, call_id })),
      ...ids.map((call_id, at) => ({
        type: "function_call_output",
        call_id,
        output: outputs[at],
      })),
    ];
  }),
);

/** Call ids are those of one conversation: each is used once. */
function numbered(turns: readonly Item[][]): Item[] {
  return turns.flatMap((items, turn) =>
    items.map((item) =>
      "call_id" in item ? { ...item, call_id: `${String(item["call_id"])}_${turn}` } : item,
    ),
  );
}

it.each([models.chat, models.messages])(
  "[lasting.compaction] a conversation that was compacted anywhere goes on validly at %s",
  async (model) => {
    const { app, upstream, openai } = await start();
    const conversations = fc.array(turnItems, { minLength: 1, maxLength: 6 });
    const asked = { role: "user", content: "Begin." };
    await fc.assert(
      fc.asyncProperty(conversations, conversations, fc.boolean(), async (one, two, isWhole) => {
        const before = [asked, ...numbered(one)];
        const behind = [...numbered(two), question];
        const trigger = { type: "compaction_trigger" };
        const { output } = isWhole
          ? await openai.responses.compact({ model, input: before as unknown as Input })
          : await openai.responses.create({
              model,
              input: [...before, trigger, ...behind] as unknown as Input,
            });
        const input = [...output, ...behind] as unknown as Input;
        const answer = await openai.responses.create({ model, input, tools: [tool] });
        expect(answer.status).toBe("completed");
        expect(output[0]?.type).toBe("compaction");
      }),
      { numRuns: 40 },
    );
    expect(upstream.exchanges.flatMap(({ faults }) => faults)).toEqual([]);
    expect(app.faults).toEqual([]);
  },
);
