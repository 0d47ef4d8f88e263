import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startFakeUpstream, json } from "../support/fake-upstream.ts";
import type { RestResponse } from "../support/rest-client.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let database: TestDatabase;
let server: ServerProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ databaseUrl: database.connectionString });
});

afterAll(async () => {
  await server.end();
  await database.drop();
});

/**
 * Lets the server run for a few milliseconds between pauses, as on a machine that has
 * other work, until the calls have ended or `limitMs` are over.
 */
async function starve<Value>(
  calls: Promise<Value>,
  pauseMs: number,
  limitMs: number,
): Promise<Value> {
  const end = performance.now() + limitMs;
  const outcome = Promise.allSettled([calls]).then(() => true);
  try {
    for (let isOver = false; !isOver && performance.now() < end;) {
      server.process.signal("SIGSTOP");
      await delay(pauseMs);
      server.process.signal("SIGCONT");
      isOver = await Promise.race([outcome, delay(15, false)]);
    }
  } finally {
    server.process.signal("SIGCONT");
  }
  return calls;
}

/** Answers that claim that the database is down; those that say overloaded are allowed. */
function away(answers: readonly RestResponse[]): unknown[] {
  return answers
    .filter(({ status, body }) => status === 503 && !JSON.stringify(body).includes("overloaded"))
    .map(({ body }) => body);
}

async function metric(line: RegExp): Promise<number> {
  const { body } = await server.call("GET", "/metrics");
  return Number(line.exec(body)?.[1]);
}

describe.each([
  ["for a third of a second at a time", 350],
  ["for longer than a connection may be silent", 2300],
])("a server that is stopped %s", (_name, pauseMs) => {
  it("never says that the database is away", async () => {
    // The stops before may still count as load for a moment.
    const user = await untilTaken(() => server.createUser());
    const { secret } = await untilTaken(() => user.createKey());
    const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "m" }] }));
    await expireIdleConnections();
    const calls = Array.from({ length: 60 }, (_, number) => [
      server.call("POST", `/v1/admin/users/${user.id}/keys`, {
        token: server.adminToken,
        body: { name: `key ${number}` },
      }),
      server.call("POST", "/v1/upstreams", {
        token: user.session,
        body: { label: `Box ${number}`, base_url: upstream.origin, api_key: "k" },
      }),
      server.call("GET", "/v1/upstreams", { token: secret }),
      server.call("GET", "/readyz"),
    ]).flat();
    const answers = await starve(Promise.all(calls), pauseMs, 8000);
    expect(away(answers)).toEqual([]);
    expect(answers.map(({ status }) => status)).toContain(201);
    expect(server.process.stderr).not.toContain("its connections are dropped");
    const failures = /^causeway_database_connection_failures_total\{reason="away"\} (\d+)$/m;
    expect(await metric(failures)).toBe(0);
    await waitUntil(async () => (await metric(/^causeway_change_feed_trusted (\d)$/m)) === 1);
  });
});

/** Repeats what an overloaded server refuses. */
async function untilTaken<Result>(ask: () => Promise<Result>): Promise<Result> {
  let result: Result | undefined;
  await waitUntil(async () => {
    result = await ask().catch(() => undefined);
    return result !== undefined;
  });
  return result as Result;
}

/** The calls begin with new connections. */
async function expireIdleConnections(): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'causeway' and state = 'idle' and datname = current_database()",
  );
  await client.end();
}
