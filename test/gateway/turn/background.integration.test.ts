import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { model, startCaller, waitUntilEnded } from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

describe("an answer in the background", () => {
  it("[background.queued] comes at once as queued, and is polled until it is there", async () => {
    const { openai, upstream } = await startCaller(causeway);
    const stream = pausedStream();
    upstream.play(stream.script);
    const queued = await openai.responses.create({ model, input: "Hello?", background: true });
    expect(queued).toMatchObject({ status: "queued", background: true, output: [] });
    expect(queued.id).toMatch(/^turn_/);
    await stream.begun;
    stream.say("Good ", "day.");
    stream.end();
    const response = await waitUntilEnded(openai, queued.id);
    expect(response).toMatchObject({
      id: queued.id,
      status: "completed",
      output_text: "Good day.",
    });
  });

  it("is streamed as it is made, and again for who comes back", async () => {
    const { openai, upstream } = await startCaller(causeway);
    const stream = pausedStream();
    upstream.play(stream.script);
    const events: ResponseStreamEvent[] = [];
    const live = await openai.responses.create({
      model,
      input: "Hello?",
      background: true,
      stream: true,
    });
    await stream.begun;
    stream.say("Good ", "day.");
    stream.end();
    for await (const event of live) events.push(event);
    expect(events.map(({ type }) => type).slice(0, 4)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
      "response.output_item.added",
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.completed" });
    const { id } = (events[0] as { response: { id: string } }).response;
    const again: ResponseStreamEvent[] = [];
    const replayed = await openai.responses.retrieve(id, { stream: true, starting_after: 3 });
    for await (const event of replayed) again.push(event);
    expect(again).toEqual(events.slice(4));
  });

  it("is gone on from by its id", async () => {
    const { openai, upstream } = await startCaller(causeway);
    const stream = pausedStream();
    upstream.play(stream.script);
    const queued = await openai.responses.create({
      model,
      input: "Who are you?",
      background: true,
    });
    await stream.begun;
    stream.say("Bo.");
    stream.end();
    await waitUntilEnded(openai, queued.id);
    const next = pausedStream();
    upstream.play(next.script);
    const going = openai.responses.create({
      model,
      input: "Again?",
      previous_response_id: queued.id,
    });
    await next.begun;
    next.say("Bo!");
    next.end();
    await going;
    const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "");
    expect(sent.messages.map(({ content }: { content: unknown }) => content)).toEqual([
      "Who are you?",
      "Bo.",
      "Again?",
    ]);
  });

  it("is cancelled, which ends the call to the upstream", async () => {
    const { openai, upstream } = await startCaller(causeway);
    const stream = pausedStream();
    upstream.play(stream.script);
    const queued = await openai.responses.create({ model, input: "Hello?", background: true });
    await stream.begun;
    stream.say("Good ");
    const cancelled = await openai.responses.cancel(queued.id);
    expect(cancelled).toMatchObject({
      status: "cancelled",
      incomplete_details: { reason: "cancelled" },
    });
    await upstream.requests.at(-1)?.closed;
    expect(await openai.responses.cancel(queued.id)).toEqual(cancelled);
  });
});
