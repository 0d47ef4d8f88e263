import { expect, it, vi } from "vitest";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import type { TestUser } from "../support/rest-client.ts";
import {
  databaseProcessOf,
  dataDirectoryForTest,
  startServerForTest,
  type ServerProcess,
} from "../support/server-process.ts";
import { waitUntil } from "../support/wait-until.ts";

vi.setConfig({ testTimeout: 120_000 });

it("loses nothing that was answered when it is killed, with its database or without", async () => {
  const dataDirectory = await dataDirectoryForTest();
  const { origin } = await startFakeUpstream(json({ object: "list", data: [{ id: "m1" }] }));
  const first = await startServerForTest({ dataDirectory });
  const user = await first.createUser();
  const created = await createUntilKilled(first, user, origin);

  const database = await databaseProcessOf(dataDirectory);
  const second = await startServerForTest({ dataDirectory });
  expect(await databaseProcessOf(dataDirectory)).toBe(database);
  expect(await slugs(second, user)).toEqual(expect.arrayContaining(created));
  const more = await createUntilKilled(second, user, origin);

  await killDatabase(dataDirectory);
  const third = await startServerForTest({ dataDirectory });
  expect(await slugs(third, user)).toEqual(expect.arrayContaining([...created, ...more]));
});

it("[embedded.join] shares one database between two processes, which survive its death; the last one stops it", async () => {
  const dataDirectory = await dataDirectoryForTest();
  const servers = await Promise.all([
    startServerForTest({ dataDirectory }),
    startServerForTest({ dataDirectory }),
  ]);
  const [first, second] = servers;
  const user = await first.createUser();
  expect(await slugs(second, user)).toEqual([]);
  const firstKeys = servers.filter(({ process }) => process.stdout.includes("curl "));
  expect(firstKeys).toHaveLength(1);

  await killDatabase(dataDirectory);
  for (const server of servers) await becomesReady(server);
  expect(await slugs(second, user)).toEqual([]);

  expect(await first.stop()).toMatchObject({ code: 0 });
  expect((await second.call("GET", "/readyz")).status).toBe(200);
  expect(await databaseProcessOf(dataDirectory)).toBeGreaterThan(0);
  expect(await second.stop()).toMatchObject({ code: 0 });
  expect(await databaseProcessOf(dataDirectory)).toBeUndefined();
});

/** Adds endpoints, three at a time, and kills the server among them; those that were answered. */
async function createUntilKilled(
  server: ServerProcess,
  user: TestUser,
  origin: string,
): Promise<string[]> {
  const created: string[] = [];
  const body = { label: "Kept", base_url: origin, api_key: "sk-kept", dialect: "dialect_chat" };
  const create = async (): Promise<void> => {
    for (;;) {
      const answer = await server.call("POST", "/v1/upstreams", { token: user.session, body });
      expect(answer.status).toBe(201);
      created.push(answer.body.upstream.slug);
    }
  };
  const over = Promise.allSettled([create(), create(), create()]);
  await waitUntil(() => created.length >= 12, 60_000);
  server.process.signal("SIGKILL");
  const results = await over;
  // They end by the lost connection, not by an answer that was no success.
  for (const result of results)
    expect(String(Reflect.get(result, "reason"))).toMatch(/fetch failed|terminated/);
  await server.process.ended();
  return created;
}

async function killDatabase(dataDirectory: string): Promise<void> {
  const database = await databaseProcessOf(dataDirectory);
  if (database === undefined) throw new Error("No database runs.");
  process.kill(database, "SIGKILL");
  await waitUntil(async () => (await databaseProcessOf(dataDirectory)) !== database);
}

function becomesReady(server: ServerProcess): Promise<void> {
  return waitUntil(async () => (await server.call("GET", "/readyz")).status === 200, 60_000);
}

async function slugs(server: ServerProcess, user: TestUser): Promise<string[]> {
  const { body } = await server.call("GET", "/v1/upstreams?limit=100", { token: user.session });
  expect(body.has_more).toBe(false);
  return body.data.map(({ slug }: { slug: string }) => slug);
}
