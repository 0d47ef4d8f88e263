import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stream } from "../../support/fake-upstream.ts";
import { openSocket, type SocketClient } from "./socket-client.ts";
import { answerOf, lastSent, modelOf, startSocketInstance } from "./socket-instance.ts";
import type { SocketInstance } from "./socket-instance.ts";

let instance: SocketInstance;

beforeAll(async () => {
  instance = await startSocketInstance();
});

afterAll(() => instance.close());

const model = modelOf("responses");
const question = { model, input: "Hello?", store: false };

/** More values than are parsed. */
const many = Array.from({ length: 400_001 }, () => "{}").join(",");

/** Deeper than a program can write. */
const deep = "[".repeat(30_000) + "]".repeat(30_000);

function completed(output: string): string {
  return `data: {"type":"response.completed","response":{"id":"resp_1","output":[${output}]}}\n\n`;
}

async function ask(event: string): Promise<SocketClient> {
  const { secret } = await instance.caller();
  instance.upstream.play(stream([event]));
  const client = await openSocket(instance.causeway.url, secret);
  client.create(question);
  return client;
}

describe("the last event of an upstream's answer over WebSocket", () => {
  it.each([
    ["has more values than are parsed", completed(many)],
    ["is nested too deep to be written", completed(`{"type":"message","content":${deep}}`)],
  ])("reaches its caller and is not remembered when it %s", async (_what, event) => {
    const client = await ask(event);
    expect((await client.next()).type).toBe("response.completed");
    instance.upstream.play(answerOf("responses"));
    const events = await client.ask({ ...question, previous_response_id: "resp_1" });
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(lastSent(instance.upstream)).toMatchObject({ previous_response_id: "resp_1" });
  });

  it.each([
    ["has more values than are parsed", `[${many}]`],
    ["is nested too deep to be written", deep],
  ])("is passed on as it came when it is an error that %s", async (_what, details) => {
    const error = `{"type":"error","error":{"message":"Down."},"details":${details}}`;
    const client = await ask(`data: {"type":"response.created"}\n\ndata: ${error}\n\n`);
    const event = (await client.answer()).at(-1);
    expect([event?.type, event?.["error"], event?.["status"]]).toEqual([
      "error",
      { message: "Down." },
      undefined,
    ]);
  });
});
