import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { StallingProxy } from "../../support/stalling-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../support/test-database.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { dials, model, startCaller } from "./background-caller.ts";
import { pausedStream } from "./paused-stream.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: TestDatabase;
let proxy: StallingProxy;
let causeway: TestInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await StallingProxy.start(database.connectionString);
  causeway = await startTestInstance({ environment: { DATABASE_URL: proxy.connectionString } });
});

afterAll(async () => {
  await causeway.close();
  await proxy.close();
  await database.drop();
});

/** Ways in which a database goes away and comes back. */
const absences: readonly [string, () => Promise<void>, () => Promise<void>][] = [
  ["refuses connections", () => proxy.refuse(), () => proxy.accept()],
  ["hangs", () => Promise.resolve(proxy.freeze()), () => Promise.resolve(proxy.thaw())],
];

describe.each(absences)(
  "an answer in the background while the database %s",
  (_name, goAway, comeBack) => {
    it("[turns.database-away] pauses with keep-alives, and goes on when it is back, with nothing lost and nothing asked twice", async () => {
      const caller = await startCaller(causeway);
      const held = pausedStream();
      caller.upstream.play(held.script);
      const answer = await fetch(`${causeway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${caller.secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model, input: "Hello?", background: true, stream: true }),
      });
      expect(answer.status).toBe(200);
      let text = "";
      let isOver = false;
      const reading = (async () => {
        for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
        isOver = true;
      })();
      await held.begun;
      held.say("Before, ");
      await waitUntil(() => text.includes("Before, "));
      await goAway();
      held.say("during ");
      const asked = await caller.call("GET", `/v1/responses/${/turn_\w+/.exec(text)?.[0]}`);
      expect(asked.status).toBe(503);
      held.say("and after.");
      held.end();
      await waitUntil(() => isOver || text.includes(": keep-alive"), 30_000);
      expect([isOver, text.includes("during")]).toEqual([false, false]);
      await comeBack();
      await waitUntil(() => isOver, 30_000);
      await reading;
      const events = parseEventStreamText(text);
      expect(checkResponsesStream(events)).toEqual([]);
      expect(JSON.parse(events.at(-1)?.data ?? "{}")).toMatchObject({
        type: "response.completed",
        response: { output: [{ content: [{ text: "Before, during and after." }] }] },
      });
      expect(dials(caller.upstream)).toHaveLength(1);
    });
  },
);

describe("a turn that runs when its process is asked to end", () => {
  it("is ended before the process, where there is time, and its follower hears of it", async () => {
    const other = await startTestInstance({ environment: { CAUSEWAY_DRAIN_SECONDS: "10" } });
    const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
    const user = await other.createUser();
    const body = { label: "Box", base_url: upstream.origin, api_key: "k", dialect: "dialect_chat" };
    await other.call("POST", "/v1/upstreams", { token: user.session, body });
    const { secret } = await user.createKey();
    const held = pausedStream();
    upstream.play(held.script);
    const answer = await fetch(`${other.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input: "Hello?", background: true, stream: true }),
    });
    await held.begun;
    const stopped = other.close();
    held.say("Bye.");
    held.end();
    const events = parseEventStreamText(await answer.text());
    expect(events.at(-1)?.name).toBe("response.completed");
    await stopped;
  });
});
