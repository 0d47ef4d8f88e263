import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../support/wait-until.ts";
import { startTwoInstances, type TwoInstances } from "../../support/start-two-instances.ts";
import type { TestInstance } from "../../support/test-instance.ts";
import {
  clientOf,
  dials,
  eventsOf,
  model,
  startCaller,
  waitUntilEnded,
  type BackgroundCaller,
} from "./background-caller.ts";
import { pausedStream, type PausedStream } from "./paused-stream.ts";

let servers: TwoInstances;
let first: TestInstance;
let second: TestInstance;

beforeAll(async () => {
  servers = await startTwoInstances();
  ({ first, second } = servers);
});

afterAll(() => servers.close());

const input = "Hello?";

interface Running {
  readonly caller: BackgroundCaller;
  readonly id: string;
  readonly stream: PausedStream;
}

/** A turn whose upstream has said a word that a poll or a stream shows; either process may run it. */
async function run(): Promise<Running> {
  const caller = await startCaller(first);
  const stream = pausedStream();
  caller.upstream.play(stream.script);
  const { id } = await caller.openai.responses.create({ model, input, background: true });
  await stream.begun;
  stream.say("Half ");
  await waitUntil(async () => (await framesOf(first, caller, id, 6)).includes("Half "));
  return { caller, id, stream };
}

/** The first frames of a replay, as its bytes came. */
async function framesOf(
  { url }: TestInstance,
  { secret }: BackgroundCaller,
  id: string,
  count: number,
): Promise<string> {
  const gone = new AbortController();
  const answer = await fetch(`${url}/v1/responses/${id}?stream=true`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: gone.signal,
  });
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.split("\n\n").length > count) break;
  }
  gone.abort();
  return text;
}

describe("an answer in the background at another process", () => {
  it("[background.followed] [turns.prefix] is polled, followed to its end, and replayed with the same bytes", async () => {
    const { caller, id, stream } = await run();
    const elsewhere = clientOf(second, caller.secret);
    expect(await elsewhere.responses.retrieve(id)).toMatchObject({ id, status: "in_progress" });
    const following = eventsOf(await elsewhere.responses.retrieve(id, { stream: true }));
    stream.say("said.");
    stream.end();
    const events = await following;
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { id } });
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    const path = `/v1/responses/${id}?stream=true`;
    const token = caller.secret;
    const replays = [first, second, first].map(({ call }) => call("GET", path, { token }));
    const [one, two, three] = await Promise.all(replays);
    expect(two?.body).toBe(one?.body);
    expect(three?.body).toBe(one?.body);
    expect(await elsewhere.responses.retrieve(id)).toEqual(await waitUntilEnded(caller.openai, id));
  });

  it("[turns.cancel] is cancelled within a second, wherever it runs", async () => {
    for (const place of [first, second]) {
      const { caller, id } = await run();
      const following = eventsOf(await caller.openai.responses.retrieve(id, { stream: true }));
      const startedAt = performance.now();
      const cancelled = await clientOf(place, caller.secret).responses.cancel(id);
      expect(cancelled).toMatchObject({
        id,
        status: "cancelled",
        incomplete_details: { reason: "cancelled" },
        output: [{ type: "message", status: "incomplete", content: [{ text: "Half " }] }],
      });
      expect((await dials(caller.upstream)[0]?.closed) ?? Number.NaN).toBeLessThan(
        startedAt + 1000,
      );
      expect((await following).at(-1)).toMatchObject({
        type: "response.incomplete",
        response: { status: "cancelled", incomplete_details: { reason: "cancelled" } },
      });
    }
  });

  it("[background.deleted] is deleted while it runs, which ends it, and is known nowhere any more", async () => {
    const { caller, id } = await run();
    const following = eventsOf(await caller.openai.responses.retrieve(id, { stream: true }));
    await clientOf(second, caller.secret).responses.delete(id);
    await dials(caller.upstream)[0]?.closed;
    await following;
    for (const place of [first, second]) {
      const retrieving = clientOf(place, caller.secret).responses.retrieve(id);
      await expect(retrieving).rejects.toMatchObject({ status: 404 });
    }
  });
});

describe("an answer in the background of another account", () => {
  it("is 404 everywhere", async () => {
    const { id, stream, caller } = await run();
    const { call } = await startCaller(first);
    const asked = [
      ["GET", ""],
      ["GET", "?stream=true"],
      ["GET", "/input_items"],
      ["POST", "/cancel"],
      ["DELETE", ""],
    ] as const;
    for (const [method, part] of asked) {
      const answer = await call(method, `/v1/responses/${id}${part}`);
      expect([method, part, answer.status]).toEqual([method, part, 404]);
    }
    stream.end();
    expect((await waitUntilEnded(caller.openai, id)).status).toBe("completed");
  });
});
