import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, stream } from "../../support/fake-upstream.ts";
import { selectRows } from "../../support/select-rows.ts";
import { execute } from "../../support/test-database.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { responseFixtures } from "../transcode/response-fixtures.ts";
import {
  clientOf,
  dials,
  eventsOf,
  model,
  responseIdIn,
  startCaller,
  waitUntilEnded,
  type BackgroundCaller,
} from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const input = "Hello?";
const { frames, whole } = responseFixtures.chat;

/** A response that has ended, made in the background or not. */
async function ended(background: boolean): Promise<{ caller: BackgroundCaller; id: string }> {
  const caller = await startCaller(causeway);
  caller.upstream.play(background ? stream(frames) : json(whole));
  const { id } = await caller.openai.responses.create({ model, input, background });
  await waitUntilEnded(caller.openai, id);
  return { caller, id };
}

describe.each([
  ["made in the background", true],
  ["that was kept", false],
])("the replay of a response %s", (_name, background) => {
  it("[background.replay] is the same at each time, a right stream, and tells the official client the response", async () => {
    const { caller, id } = await ended(background);
    const path = `/v1/responses/${id}?stream=true`;
    const [one, two] = [await caller.call("GET", path), await caller.call("GET", path)];
    expect(one.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(two.body).toBe(one.body);
    expect(checkResponsesStream(parseEventStreamText(one.body))).toEqual([]);
    const events = await eventsOf(await caller.openai.responses.retrieve(id, { stream: true }));
    const { body: kept } = await caller.call("GET", `/v1/responses/${id}`);
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: kept });
    const helper = caller.openai.responses.stream({ response_id: id });
    expect(await helper.finalResponse()).toMatchObject({ id, output: kept.output });
    const resumed = caller.openai.responses.stream({ response_id: id, starting_after: 3 });
    expect(await resumed.finalResponse()).toMatchObject({ id, output: kept.output });
  });

  it("[background.replay] begins behind its cursor, has nothing behind the last event, and refuses what is no number", async () => {
    const { caller, id } = await ended(background);
    const ask = (query: string) => caller.call("GET", `/v1/responses/${id}?${query}`);
    const all = parseEventStreamText((await ask("stream=true")).body);
    const behind = parseEventStreamText((await ask("stream=true&starting_after=4")).body);
    expect(behind).toEqual(all.slice(5));
    for (const beyond of [all.length - 1, all.length, 999_999_999]) {
      const answer = await ask(`stream=true&starting_after=${beyond}`);
      expect([answer.status, answer.body]).toEqual([200, ""]);
    }
    for (const wrong of ["-1", "1.5", "x", "", "99999999999"]) {
      const answer = await ask(`stream=true&starting_after=${wrong}`);
      expect([wrong, answer.status]).toEqual([wrong, 400]);
      expect(answer.body.error).toMatchObject({ param: "starting_after", code: "invalid_request" });
    }
    expect((await ask("starting_after=1")).body.error).toMatchObject({ param: "starting_after" });
    expect((await ask("stream=maybe")).body.error).toMatchObject({ param: "stream" });
  });

  it("is asked for with HEAD without a body", async () => {
    const { caller, id } = await ended(background);
    const answer = await caller.call("HEAD", `/v1/responses/${id}?stream=true`);
    expect([answer.status, answer.body]).toEqual([200, ""]);
  });
});

describe("an answer in the background that runs", () => {
  it("is asked for with HEAD at once, though its stream goes on", async () => {
    const caller = await startCaller(causeway);
    const held = pausedStream();
    caller.upstream.play(held.script);
    const { id } = await caller.openai.responses.create({ model, input, background: true });
    await held.begun;
    const answer = await caller.call("HEAD", `/v1/responses/${id}?stream=true`);
    expect([answer.status, answer.body]).toEqual([200, ""]);
    expect((await caller.openai.responses.retrieve(id)).output).toEqual([]);
    held.end();
    await waitUntilEnded(caller.openai, id);
  });

  it("[background.streamed] goes on when its caller leaves the stream, and lists its input before and after its end", async () => {
    const caller = await startCaller(causeway);
    const held = pausedStream();
    caller.upstream.play(held.script);
    const begun = await caller.openai.responses.create({
      model,
      input: [
        { role: "user", content: "Hello?" },
        { role: "user", content: "Anybody?" },
      ],
      background: true,
      stream: true,
    });
    let id = "";
    for await (const event of begun) {
      id = responseIdIn([event]);
      break;
    }
    await held.begun;
    const list = async () => (await caller.call("GET", `/v1/responses/${id}/input_items`)).body;
    const running = await list();
    expect(running).toMatchObject({
      object: "list",
      data: [{ content: [{ text: "Anybody?" }] }, { content: [{ text: "Hello?" }] }],
      has_more: false,
    });
    held.say("Yes.");
    held.end();
    expect(await waitUntilEnded(caller.openai, id)).toMatchObject({ output_text: "Yes." });
    expect(await list()).toEqual(running);
  });

  it("[background.input-items] lists the items that its input refers to, as a finished one does", async () => {
    const caller = await startCaller(causeway);
    caller.upstream.play(stream(frames));
    const before = await caller.openai.responses.create({ model, input: "Weather?" });
    const said = before.output.find(({ type }) => type === "message");
    const held = pausedStream();
    caller.upstream.play(held.script);
    const { id } = await caller.openai.responses.create({
      model,
      input: [
        { type: "item_reference", id: said?.id ?? "" },
        { role: "user", content: "So?" },
      ],
      background: true,
    });
    await held.begun;
    const list = async () => (await caller.call("GET", `/v1/responses/${id}/input_items`)).body;
    const running = await list();
    expect(running.data).toMatchObject([{ content: [{ text: "So?" }] }, { id: said?.id }]);
    held.end();
    await waitUntilEnded(caller.openai, id);
    expect(await list()).toEqual(running);
  });

  it("[background.streamed] is told whole to a caller who reads slowly", async () => {
    const caller = await startCaller(causeway);
    const held = pausedStream();
    caller.upstream.play(held.script);
    const answer = await fetch(`${causeway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input, background: true, stream: true }),
    });
    await held.begun;
    const word = "w".repeat(64 * 1024);
    for (let said = 0; said < 30; said += 1) held.say(word);
    held.end();
    const reader = answer.body?.getReader();
    const id = /turn_\w+/.exec(Buffer.from((await reader?.read())?.value ?? []).toString())?.[0];
    // Polling over HTTP would read the megabytes each time.
    const state = `select "ended_at" from "turns" where "id" = $1`;
    await waitUntil(async () => {
      const [turn] = await selectRows(causeway.connectionString, state, id);
      return turn?.["ended_at"] instanceof Date;
    }, 30_000);
    let bytes = 0;
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      bytes += read.value.length;
    }
    expect(bytes).toBeGreaterThan(5 * 30 * word.length);
  });
});

describe("a response in the background that cannot be cancelled any more", () => {
  it.each([true, false])(
    "[turns.cancel] is answered as it is (background: %s)",
    async (background) => {
      const { caller, id } = await ended(background);
      const path = `/v1/responses/${id}`;
      const { body: before } = await caller.call("GET", path);
      expect(await caller.call("POST", `${path}/cancel`)).toMatchObject({
        status: 200,
        body: before,
      });
      expect((await caller.call("GET", path)).body).toEqual(before);
    },
  );
});

describe("what is kept of an answer in the background", () => {
  it("[background.kept] is gone when its time has passed", async () => {
    const { caller, id } = await ended(true);
    await execute(
      causeway.connectionString,
      `update "turns" set "expires_at" = now() where "id" = '${id}';
       update "kept_responses" set "expires_at" = now() where "id" = '${id}'`,
    );
    for (const part of ["", "?stream=true", "/input_items"]) {
      const answer = await caller.call("GET", `/v1/responses/${id}${part}`);
      expect([part, answer.status]).toEqual([part, 404]);
    }
    const next = { model, input, background: true, previous_response_id: id };
    expect((await caller.call("POST", "/v1/responses", next)).body.error).toMatchObject({
      param: "previous_response_id",
    });
  });

  it("[background.kept] is gone with its account, and what runs then ends", async () => {
    const { caller, id } = await ended(true);
    const held = pausedStream();
    caller.upstream.play(held.script);
    const running = await caller.openai.responses.create({ model, input, background: true });
    await held.begun;
    const path = `/v1/admin/users/${caller.user.id}`;
    const gone = await causeway.call("DELETE", path, { token: causeway.adminToken });
    expect(gone.status).toBe(200);
    await dials(caller.upstream).at(-1)?.closed;
    const { secret } = await (await causeway.createUser()).createKey();
    for (const one of [id, running.id]) {
      const asked = clientOf(causeway, secret).responses.retrieve(one);
      await expect(asked).rejects.toMatchObject({ status: 404 });
    }
    const failures = causeway.logLines().filter(({ msg }) => msg === "a turn failed");
    expect(failures).toEqual([]);
  });

  it("[turns.at-rest] is sealed in the database", async () => {
    const { id } = await ended(true);
    const sql = `select "t"::text || "b"::text as "row" from "turns" "t", "turn_batches" "b"
      where "t"."id" = $1 and "b"."turn_id" = $1`;
    const rows = await selectRows(causeway.connectionString, sql, id);
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toMatch(/Hello\?|Hé|weather/);
  });
});
