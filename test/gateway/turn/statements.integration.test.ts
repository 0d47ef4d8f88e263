import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { pausedStream } from "./paused-stream.ts";

let causeway: TestInstance;
let upstream: FakeUpstream & { close(): Promise<void> };
let openai: OpenAI;
const heard: string[] = [];

beforeAll(async () => {
  upstream = await openFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
  causeway = await startTestInstance({ statementObserver: (sql) => void heard.push(sql) });
  const user = await causeway.createUser();
  const endpoint = { label: "Box", base_url: `${upstream.origin}/v1`, api_key: "k" };
  const body = { ...endpoint, dialect: "dialect_chat" };
  await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  const { secret } = await user.createKey();
  openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  await statementsOf(0);
});

afterAll(async () => {
  await causeway.close();
  await upstream.close();
});

/** What whoever looks for turns asks, and what runs by the clock. */
const byTheRunner = [
  "_take_turns",
  'as "leaseMs"',
  'as "held"',
  '"held" as',
  "json_array_elements_text(?",
];

/** Statements of an answer that is followed, after so many calls that failed in passing. */
async function statementsOf(failures: number): Promise<readonly string[]> {
  const stream = pausedStream();
  upstream.playOnce(...Array.from({ length: failures }, () => json({}, 503)), stream.script);
  heard.length = 0;
  const asked = { model: "custom/box/m", input: "Hello?", background: true, stream: true } as const;
  const events = await openai.responses.create(asked);
  await stream.begun;
  stream.say("Good ");
  await waitUntil(() => of(heard, "causeway_append_turn") > 0);
  stream.say("day.");
  stream.end();
  for await (const event of events) expect(event.type).toMatch(/^response\./);
  return heard.filter((sql) => !byTheRunner.some((mark) => sql.includes(mark)));
}

function of(statements: readonly string[], ...marks: readonly string[]): number {
  return statements.filter((sql) => marks.some((mark) => sql.includes(mark))).length;
}

describe("an answer in the background", () => {
  it("is stored, queued and taken with one statement, and followed without a look per event where it runs", async () => {
    const statements = await statementsOf(0);
    expect(of(heard, "causeway_start_turn")).toBe(1);
    // The first look. Later events come within the process; a slow machine looks once more.
    expect(of(statements, '"hasEnded"')).toBeLessThanOrEqual(2);
    // Noted; and at its end: held, its last events, itself, out of the queue.
    const others = statements.filter((sql) => !sql.includes('"hasEnded"'));
    const own = of(others, "absurd.", 'from "turns"', 'update "turns"', '"turn_batches" (');
    expect(own).toBeLessThanOrEqual(1 + 4);
  });

  it("wakes nobody where it was taken as it was stored", async () => {
    await statementsOf(0);
    expect(heard.filter((sql) => sql.includes('"params" ->> '))).toHaveLength(1);
  });

  it("takes three statements for a call made again, and a transaction round two of them", async () => {
    const [none, one] = [await statementsOf(0), await statementsOf(1)];
    const marks = ["absurd.", "begin", "commit", '"call" as materialized'];
    expect(of(one, ...marks) - of(none, ...marks)).toBeLessThanOrEqual(5);
  });
});
