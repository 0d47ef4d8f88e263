import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stream, type Script } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { streamFrames } from "../stream-frames.ts";
import { dials, model, startCaller } from "./background-caller.ts";

let causeway: TestInstance;

/** An account may hold a quarter, 1 MiB. */
beforeAll(async () => {
  causeway = await startTestInstance({
    file: { limits: { held_bodies_mib: 4, max_body_mib: 1 } },
  });
});

afterAll(() => causeway.close());

/** Begins a stream, then sends 2 MiB of an event that never ends. */
const unfinished: Script = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(streamFrames.responses[0]);
  response.write(`data: {"x":"${"x".repeat(2 * 1024 * 1024)}`);
};

/** Begins a stream, then sends 2 MiB in pieces, and does not end. */
const unfinishedText: Script = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const delta = "x".repeat(1024);
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const sent = [
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.content_part.added", ...at, part: { type: "output_text", text: "" } },
    ...Array.from({ length: 2048 }, () => ({ type: "response.output_text.delta", ...at, delta })),
  ];
  response.write(streamFrames.responses[0]);
  for (const event of sent) response.write(`data: ${JSON.stringify(event)}\n\n`);
};

describe("an answer that is received for a turn", () => {
  it("is counted to the account, and fails the turn when the account may not hold more", async () => {
    const { openai, upstream } = await startCaller(causeway, "dialect_responses");
    upstream.play(unfinishedText);
    const body = { model: "agent", input: "Hello?", background: true };
    const { id } = await openai.responses.create(body);
    await expect
      .poll(() => openai.responses.retrieve(id), { timeout: 25_000 })
      .toMatchObject({ status: "failed", error: { code: "rate_limited" } });
    expect(dials(upstream)).toHaveLength(1);
    // What the turn held is free again.
    upstream.play(stream(streamFrames.responses));
    const next = await openai.responses.create({ ...body, input: "x".repeat(200_000) });
    await expect
      .poll(() => openai.responses.retrieve(next.id), { timeout: 25_000 })
      .toMatchObject({ status: "completed" });
  });
});

describe("an answer of another dialect that an account may not hold", () => {
  it("fails the turn at once", async () => {
    const { openai, upstream } = await startCaller(causeway, "dialect_chat");
    upstream.play((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n`);
      response.write(`data: {"x":"${"x".repeat(2 * 1024 * 1024)}`);
    });
    const { id } = await openai.responses.create({ model, input: "Hello?", background: true });
    await expect
      .poll(() => openai.responses.retrieve(id), { timeout: 25_000 })
      .toMatchObject({ status: "failed", error: { code: "rate_limit_exceeded" } });
    expect(dials(upstream)).toHaveLength(1);
  });
});

describe("an upstream's event that does not end, in a call that is made for a turn", () => {
  it("ends the turn with an error when the account may not hold more", async () => {
    const { openai, upstream } = await startCaller(causeway, "dialect_responses");
    upstream.play(unfinished);
    const body = { model: "agent", input: "Hello?", background: true };
    const { id } = await openai.responses.create(body);
    await expect
      .poll(() => openai.responses.retrieve(id), { timeout: 25_000 })
      .toMatchObject({ status: "failed", error: { code: "rate_limited" } });
  });
});
