import { describe, expect, it } from "vitest";
import { json, text } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { responseFixtures } from "./response-fixtures.ts";
import { crossPairs, models, paths, questions, type Pair } from "./pairs.ts";

/** No double holds these: an id of 64 bits and more, and a decimal of 20 digits. */
const args =
  '{"id":9007199254740993,"huge":123456789012345678901234567890,"list":[-18446744073709551615],"exact":0.12345678901234567890,"far":1e400,"plain":1.5}';
const escaped = JSON.stringify(args);

/** A history with a call, as the text that a client sends. */
const histories = {
  chat: `[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${escaped}}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]`,
  messages: `[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}]`,
  responses: `[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"f","arguments":${escaped}},{"type":"function_call_output","call_id":"c1","output":"ok"}]`,
};

/** An answer that calls, as the text that an upstream sends. */
const answers = {
  chat: `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${escaped}}}]},"finish_reason":"tool_calls"}]}`,
  messages: `{"id":"m","type":"message","role":"assistant","model":"up","content":[{"type":"tool_use","id":"c1","name":"f","input":${args}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
  responses: `{"id":"r","object":"response","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":${escaped}}]}`,
};

/** Arguments as they stand in a body of the dialect. */
const written = { chat: escaped, messages: args, responses: escaped };

describe.each(crossPairs)("numbers, $caller caller, $upstream upstream", (pair: Pair) => {
  const { caller, upstream: from } = pair;

  it("[client-fields.numbers] keep their digits in the arguments of a history", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json(responseFixtures[from].whole));
    const field = caller === "responses" ? "input" : "messages";
    const head = JSON.stringify({ model: models[from], max_tokens: 64 }).slice(0, -1);
    const body = `${head},"${field}":${histories[caller]},"temperature":0.50000000000000000001}`;
    const reply = await call(app, paths[caller], body);
    expect(reply.status).toBe(200);
    const sent = (await upstream.request(0)).body.toString();
    expect(sent).toContain(written[from]);
    expect(sent).toContain('"temperature":0.5');
  });

  it("[client-fields.numbers] keep their digits in the arguments of a plain answer", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(text(answers[from], 200, { "content-type": "application/json" }));
    const body = { model: models[from], ...questions[caller] };
    const reply = await call(app, paths[caller], body);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain(written[caller]);
  });
});

it("arguments that are a number and no object are refused as before", async () => {
  const { app } = await startAppWithUpstream();
  const long = "123456789012345678901234567890";
  const body = `{"model":"${models.messages}","messages":${histories.chat.replace(escaped, `"${long}"`)}}`;
  const refused = await call(app, paths.chat, body);
  expect(refused.status).toBe(400);
  const block = `{"model":"${models.chat}","max_tokens":9,"messages":${histories.messages.replace(args, long)}}`;
  expect((await call(app, paths.messages, block)).status).toBe(400);
});
