import type { Response } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { scriptedOutput, startAgentCaller, type UpstreamDialect } from "../agent/agent-caller.ts";
import { waitUntilEnded } from "../turn/background-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({ file: { agents: { fast: { instructions: "Be brief." } } } });
});

afterAll(() => causeway.close());

const upstreams: readonly UpstreamDialect[] = ["dialect_chat", "dialect_messages"];

const text = "a\0b\ud800c";
const calls = [{ id: `call\0\ud800`, name: "f", arguments: JSON.stringify({ a: text }) }];
const tool = { type: "function" as const, name: "f", parameters: null, strict: false };

function firstCallId({ output }: Response): string {
  const ids = output.map((item) => (item.type === "function_call" ? item.call_id : undefined));
  return ids.find((id) => id !== undefined) ?? "";
}

describe.each(upstreams)("NUL and half a surrogate pair from an upstream of %s", (dialect) => {
  it.each([false, true])("are in a stored response, stream %s", async (stream) => {
    const { openai, upstream } = await startAgentCaller(causeway, dialect);
    upstream.play(scriptedOutput(dialect, { text, calls }));
    const asked = { model: "custom/box/m", input: text, tools: [tool], store: true };
    const response = stream
      ? await openai.responses.stream(asked).finalResponse()
      : await openai.responses.create(asked);
    expect(response.output_text).toBe(text);
    const call_id = firstCallId(response);
    const next = await openai.responses.create({
      ...asked,
      previous_response_id: response.id,
      input: [{ type: "function_call_output", call_id, output: text }],
    });
    expect(next.output_text).toBe(text);
  });

  it("end a response in the background, which is stored", async () => {
    const { openai, upstream } = await startAgentCaller(causeway, dialect);
    upstream.play(scriptedOutput(dialect, { text, calls }));
    const asked = { model: "custom/box/m", input: text, tools: [tool] };
    const { id } = await openai.responses.create({ ...asked, background: true });
    const response = await waitUntilEnded(openai, id);
    expect(response).toMatchObject({ status: "completed", output_text: text });
  });

  it("are in the name of the model of a response in the background, which completes", async () => {
    const { openai, upstream } = await startAgentCaller(causeway, dialect);
    upstream.play(scriptedOutput(dialect, { text: "Hi." }));
    const asked = { model: "custom/box/m\0\ud800", input: "Hi?", background: true };
    const { id } = await openai.responses.create(asked);
    expect(await waitUntilEnded(openai, id)).toMatchObject({ status: "completed" });
  });

  it("end a turn of an agent, whose thread goes on", async () => {
    const { openai, upstream } = await startAgentCaller(causeway, dialect);
    upstream.playOnce(scriptedOutput(dialect, { text, calls }), scriptedOutput(dialect, { text }));
    const asked = { model: "agent-fast", input: text, tools: [tool] };
    const first = await openai.responses.create(asked);
    const call_id = firstCallId(first);
    const second = await openai.responses.create({
      ...asked,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id, output: text }],
    });
    expect(second).toMatchObject({ status: "completed", output_text: text });
  });
});
