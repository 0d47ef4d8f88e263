import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteExpiredThreads } from "../../../src/agent/thread/expired-threads.ts";
import { databaseEntities } from "../../../src/app/entities.ts";
import { buildOrmOptions } from "../../../src/platform/database/orm-options.ts";
import { eraseTurnsOfThreads } from "../../../src/turn/thread-turns.ts";
import { MikroORM } from "@mikro-orm/postgresql";
import { selectRows } from "../../support/select-rows.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { openSocket } from "../websocket/socket-client.ts";
import { scriptedOutput, startAgentCaller } from "./agent-caller.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance({ file: { retention: { threads_days: 7 } } });
});

afterAll(() => causeway.close());

const rows = (sql: string, ...parameters: unknown[]) =>
  selectRows(causeway.connectionString, sql, ...parameters);

const dayMs = 24 * 60 * 60_000;

/** A thread `t` with one turn; the turn's id. */
async function talk() {
  const caller = await startAgentCaller(causeway);
  caller.upstream.play(scriptedOutput("dialect_chat", { text: "A secret answer." }));
  const headers = { "x-svc-session": "t" };
  const body = { model: "agent", input: "A secret question." };
  const { id } = await caller.openai.responses.create(body, { headers });
  return { ...caller, id, again: () => caller.openai.responses.create(body, { headers }) };
}

describe("a thread", () => {
  it("[agent.threads-kept] is kept, with its turns, for retention.threads_days after its last turn", async () => {
    const { id, call, user, again, bodies } = await talk();
    const [thread] = await rows("select * from agent_threads where account_id = $1", user.id);
    const [turn] = await rows("select * from turns where id = $1", id);
    expect(turn).toMatchObject({ expires_at: null, position: 1, thread_id: thread?.["id"] });
    const kept = Number(thread?.["expires_at"]) - Number(thread?.["created_at"]);
    expect(kept).toBe(7 * dayMs);
    await rows("update agent_threads set expires_at = now() where account_id = $1", user.id);
    expect((await call("GET", "/v1/agent/threads/t")).status).toBe(404);
    const next = await again();
    expect(JSON.stringify(bodies().at(-1))).not.toContain("A secret answer.");
    const turns = await rows("select id, position from turns where account_id = $1", user.id);
    expect(turns).toEqual([{ id: next.id, position: 1 }]);
  });

  it("[agent.threads-kept] is deleted with its turns when its time has passed, and no other is", async () => {
    const [old, young] = [await talk(), await talk()];
    await rows("update agent_threads set expires_at = now() where account_id = $1", old.user.id);
    const orm = await MikroORM.init(buildOrmOptions(causeway.connectionString, databaseEntities));
    await deleteExpiredThreads(orm.em.fork(), Date.now() + 1000, eraseTurnsOfThreads);
    await orm.close();
    const left = (table: string, accountId: string) =>
      rows(`select id from ${table} where account_id = $1`, accountId);
    expect(await left("agent_threads", old.user.id)).toEqual([]);
    expect(await left("turns", old.user.id)).toEqual([]);
    expect(await left("turns", young.user.id)).toEqual([{ id: young.id }]);
  });

  it("[agent.threads-kept] is sealed in the database, with what it began with", async () => {
    const { openai, upstream, user } = await startAgentCaller(causeway);
    upstream.play(scriptedOutput("dialect_chat", { text: "A secret answer." }));
    const messages = [
      { role: "user" as const, content: "A secret beginning." },
      { role: "assistant" as const, content: "A secret reply." },
      { role: "user" as const, content: "A secret question." },
    ];
    await openai.chat.completions.create({ model: "agent", messages });
    const [thread] = await rows("select * from agent_threads where account_id = $1", user.id);
    expect(thread?.["history"]).toEqual(expect.any(String));
    const turns = await rows("select * from turns where account_id = $1", user.id);
    expect(JSON.stringify([thread, turns])).not.toContain("secret");
  });
});

describe("a message over WebSocket", () => {
  it("[agent.websocket] is answered by the agent, and the next goes on in its thread", async () => {
    const { secret, upstream, bodies } = await startAgentCaller(causeway);
    upstream.play(scriptedOutput("dialect_chat", { text: "Bo." }));
    const client = await openSocket(causeway.url, secret);
    const events = await client.ask({ model: "agent", input: "Who?" });
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.completed", response: { model: "agent" } });
    const previous_response_id: unknown = last?.["response"].id;
    expect(previous_response_id).toMatch(/^turn_/);
    await client.ask({ model: "agent", input: "Sure?", previous_response_id });
    const said = bodies().at(-1)?.["messages"] as { role: string; content: unknown }[];
    const texts = said.filter(({ role }) => role !== "system").map(({ content }) => content);
    expect(texts).toEqual(["Who?", "Bo.", "Sure?"]);
  });
});
