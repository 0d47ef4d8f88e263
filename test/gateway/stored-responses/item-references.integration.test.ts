import OpenAI from "openai";
import { expect, it, onTestFinished } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance } from "../../support/test-instance.ts";

const answer = json({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }],
});

const model = "custom/box/m";

it("references to items of many responses are looked up with one statement", async () => {
  const statements: string[] = [];
  const causeway = await startTestInstance({ statementObserver: (sql) => statements.push(sql) });
  onTestFinished(() => causeway.close());
  const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
  const user = await causeway.createUser();
  const body = {
    label: "Box",
    base_url: `${upstream.origin}/v1`,
    api_key: "k",
    dialect: "dialect_chat",
  };
  await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  const { secret } = await user.createKey();
  const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  upstream.play(answer);
  const input: OpenAI.Responses.ResponseInputItem.ItemReference[] = [];
  for (let stored = 0; stored < 20; stored += 1) {
    const { output } = await openai.responses.create({ model, input: `question ${stored}` });
    input.push({ type: "item_reference", id: output[0]?.id ?? "" });
  }
  statements.length = 0;
  const { output_text: text } = await openai.responses.create({ model, input, store: false });
  expect(text).toBe("x");
  expect(statements.filter((sql) => sql.includes('"kept_responses"'))).toHaveLength(1);
});
