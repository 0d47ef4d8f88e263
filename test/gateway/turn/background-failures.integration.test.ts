import type { Response } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, reset, stream, type Script } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";
import {
  dials,
  model,
  startCaller,
  waitUntilEnded,
  type BackgroundCaller,
} from "./background-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const { frames } = responseFixtures.chat;
const whole = stream(frames);
/** Breaks off in the middle of the text. */
const cut = stream(frames.slice(0, 2), { ending: "reset" });
/** Breaks off in the middle of the arguments of a call. */
const cutInCall = stream(frames.slice(0, 5), { ending: "reset" });
const busy = json({ error: { message: "The engine is on fire.", type: "server_error" } }, 500);

async function answered(
  caller: BackgroundCaller,
  ...scripts: readonly Script[]
): Promise<Response> {
  caller.upstream.playOnce(...scripts);
  const input = "Hello?";
  const { id } = await caller.openai.responses.create({ model, input, background: true });
  return waitUntilEnded(caller.openai, id);
}

async function faultsIn({ call }: BackgroundCaller, { id }: Response) {
  const { body } = await call("GET", `/v1/responses/${id}?stream=true`);
  return checkResponsesStream(parseEventStreamText(body));
}

const incomplete = { type: "message", status: "incomplete", content: [{ text: "Hé! " }] };
const completed = { type: "message", status: "completed", content: [{ text: "Hé! 🙂" }] };

describe("an upstream that fails inside an answer in the background", () => {
  it.each([
    ["with 500", [busy]],
    ["with 503", [json({ error: { message: "away" } }, 503)]],
    ["with a reset before it answers", [reset, reset, reset]],
  ])("%s is called again", async (_name, scripts) => {
    const caller = await startCaller(causeway);
    const response = await answered(caller, ...scripts, whole);
    expect(response).toMatchObject({ status: "completed", output: [completed, {}] });
    expect(await faultsIn(caller, response)).toEqual([]);
  });

  it("[turns.half-streamed] in the middle of its words is called again: they are closed, and what comes stands behind them", async () => {
    const caller = await startCaller(causeway);
    const response = await answered(caller, cut, whole);
    expect(response).toMatchObject({
      status: "completed",
      output: [incomplete, completed, { type: "function_call", status: "completed" }],
    });
    expect(await faultsIn(caller, response)).toEqual([]);
    const { body } = await caller.call("GET", "/v1/calls");
    expect(body.data).toMatchObject([
      { turn: response.id, status: 200, error_code: null, repeated: false },
      { turn: response.id, error_code: "upstream_incomplete", repeated: false },
    ]);
  });

  it("[turns.upstream-fails] is called three times at most, and then the answer fails with its error", async () => {
    const caller = await startCaller(causeway);
    const response = await answered(caller, cut, busy, cut, whole);
    expect(dials(caller.upstream)).toHaveLength(3);
    expect(response).toMatchObject({ status: "failed", output: [incomplete, incomplete] });
    expect(response.error?.message).toMatch(/broke off/);
    expect(await faultsIn(caller, response)).toEqual([]);
  });

  it("[turns.upstream-fails] with its own error tells it to the caller", async () => {
    const caller = await startCaller(causeway);
    const response = await answered(caller, busy, busy, busy, whole);
    expect(response).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("The engine is on fire.") },
    });
    expect(dials(caller.upstream)).toHaveLength(3);
  });

  it.each([400, 401, 404, 422])(
    "[turns.upstream-fails] with %d is not called again",
    async (status) => {
      const caller = await startCaller(causeway);
      const refusal = json({ error: { message: "No such thing." } }, status);
      const response = await answered(caller, refusal, whole);
      expect(response.status).toBe("failed");
      expect(dials(caller.upstream)).toHaveLength(1);
      expect(await faultsIn(caller, response)).toEqual([]);
    },
  );

  it("can be gone on from: a call whose arguments broke off is not told to the model", async () => {
    const caller = await startCaller(causeway);
    const response = await answered(caller, cutInCall, whole);
    expect(response.output.map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "message",
      "function_call",
    ]);
    caller.upstream.play(whole);
    const next = await caller.openai.responses.create({
      model,
      previous_response_id: response.id,
      input: [{ type: "function_call_output", call_id: "call_up", output: "sun" }],
    });
    expect(next.status).toBe("completed");
    const sent = JSON.parse(dials(caller.upstream).at(-1)?.body.toString() ?? "") as {
      readonly messages: readonly { readonly tool_calls?: readonly unknown[] }[];
    };
    expect(sent.messages.flatMap(({ tool_calls: calls = [] }) => calls)).toHaveLength(1);
  });
});
