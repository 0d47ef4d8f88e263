import { describe, expect, it } from "vitest";
import { json, stream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { chatConformanceDialect } from "../../../src/conformance/dialect/chat/index.ts";
import { responsesConformanceDialect } from "../../../src/conformance/dialect/responses/index.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { models, paths, questions, streamError, textOf, type Body } from "./pairs.ts";

const named = (event: Body) =>
  `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`;

/** What a vendor of the messages dialect may want back, byte for byte and in order. */
const blocks = {
  signed: { type: "thinking", thinking: "Two  and\ntwo.", signature: "SIG+/==" },
  redacted: { type: "redacted_thinking", data: "ENC+/==" },
  "signed without words": { type: "thinking", thinking: "", signature: "ONLY+/==" },
};

const words = { type: "text", text: "Four." };
const usage = { input_tokens: 5, output_tokens: 9 };

function whole(content: readonly Body[]): Body {
  const fixture = responseFixtures.messages.whole as Body;
  return { ...fixture, content, stop_reason: "end_turn", usage };
}

/** As the vendor streams it: words and signature in deltas, what is redacted at once. */
function frames(content: readonly Body[]): string[] {
  const told = content.flatMap((block, index) => blockFrames(block, index));
  return [
    { type: "message_start", message: { ...whole([]), stop_reason: null } },
    ...told,
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ].map(named);
}

function blockFrames(block: Body, index: number): Body[] {
  const start = { type: "content_block_start", index };
  const delta = (fields: Body) => ({ type: "content_block_delta", index, delta: fields });
  const stop = { type: "content_block_stop", index };
  if (block["type"] === "redacted_thinking") return [{ ...start, content_block: block }, stop];
  if (block["type"] === "text") {
    const empty = { ...start, content_block: { type: "text", text: "" } };
    return [empty, delta({ type: "text_delta", text: block["text"] }), stop];
  }
  const { thinking, signature } = block;
  const empty = { type: "thinking", thinking: "", signature: "" };
  const said = thinking === "" ? [] : [delta({ type: "thinking_delta", thinking })];
  const sealed = delta({ type: "signature_delta", signature });
  return [{ ...start, content_block: empty }, ...said, sealed, stop];
}

const callers = [
  { caller: "chat", speech: chatConformanceDialect, extra: {} },
  {
    caller: "responses",
    speech: responsesConformanceDialect,
    extra: { store: false, include: ["reasoning.encrypted_content"] },
  },
] as const;

const first = { type: "user", text: "2+2?" } as const;
const model = models.messages;

describe.each(callers)("thoughts of a messages upstream, $caller caller", (row) => {
  const { caller, speech, extra } = row;
  const sets = Object.entries(blocks).map(([name, block]) => [name, [block]] as const);

  it.each([...sets, ["several", Object.values(blocks)] as const])(
    "[thought.redacted] [thought.signature] come back byte for byte, streamed or not: %s",
    async (_what, thoughts) => {
      for (const isStream of [false, true]) {
        const { app, upstream } = await startAppWithUpstream();
        const content = [...thoughts, words];
        upstream.play(isStream ? stream(frames(content)) : json(whole(content)));
        const asked = { ...speech.request({ messages: [first] }, model), ...extra };
        const reply = await call(app, paths[caller], { ...asked, stream: isStream });
        expect(reply.text).not.toMatch(/SIG\+|ENC\+|ONLY\+/);
        const body = isStream
          ? speech.accumulate(parseEventStreamText(reply.text))
          : (reply.body as Body);
        upstream.play(json(whole([words])));
        const turns = [first, { type: "answer", body }, { type: "user", text: "Sure?" }] as const;
        await call(app, paths[caller], { ...speech.request({ messages: turns }, model), ...extra });
        const sent = JSON.parse((await upstream.request(1)).body.toString()) as Body;
        expect((sent["messages"] as Body[])[1]).toEqual({ role: "assistant", content });
      }
    },
  );

  it("[thought.early-failure] a failure after thoughts alone is an error with its type, and no words", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const begun = frames([blocks.signed]).slice(0, 3);
    const busy = { type: "error", error: { type: "overloaded_error", message: "Busy." } };
    upstream.play(stream([...begun, named(busy)], { everyMs: 20 }));
    const body = { model, ...questions[caller], stream: true };
    const reply = await call(app, paths[caller], body);
    expect(textOf(caller, reply.text)).toBe("");
    expect(streamError(caller, reply.text)).toMatchObject({ message: "Busy." });
  });
});
