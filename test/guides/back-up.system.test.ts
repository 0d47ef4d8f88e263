/** The back-ups of docs/operations.md: restored into an empty database, they are the same server. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { programPath } from "../support/causeway-process.ts";
import { removeDataDirectory } from "../support/data-directory.ts";
import {
  startStrictUpstream,
  type StrictUpstream,
} from "../support/strict-upstream/start-strict-upstream.ts";
import { GuideReader } from "./guide-reader.ts";
import { findSystemPostgres, startSystemPostgres } from "./system-postgres.ts";

vi.setConfig({ testTimeout: 240_000 });

const systemPostgres = await findSystemPostgres();
const upstreamAllowed = { CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*" };

/** A call of a model behind a sealed key. */
const ask =
  'curl -sf "$CAUSEWAY_URL/v1/chat/completions" -H "authorization: Bearer $CAUSEWAY_KEY" ' +
  `-H 'content-type: application/json' -d '{"model": "@kept", "messages": [{"role": "user", "content": "Hello"}]}'`;

/** All that the server tells of what it keeps. */
const tell = ["usage", "calls", "upstreams", "aliases"]
  .map((noun) => `npx causeway ${noun} list --json`)
  .join("\n");

it("of the embedded database: the same keys, secrets and usage", async () => {
  const vendor = await startStrictUpstream();
  const place = await emptyPlace();
  const reader = await GuideReader.arrive({
    environment: upstreamAllowed,
    places: { "/srv/restored": place },
  });
  await reader.follow("quick-start.md", "## Start it");
  const before = await furnish(reader, vendor);
  await reader.stop();
  await reader.follow("operations.md", "### The embedded database");
  await expectSame(reader, vendor, before);
  expect(await reader.type('ls "$CAUSEWAY_DATA_DIR/postgres/data"')).toContain("postmaster.pid");
});

it.skipIf(systemPostgres === undefined)(
  "of a database of one's own: the same keys, secrets and usage",
  async () => {
    const vendor = await startStrictUpstream();
    const { binaries, port } = await startSystemPostgres(systemPostgres ?? "");
    const reader = await GuideReader.arrive({
      environment: { ...upstreamAllowed, PATH: [binaries, programPath].join(delimiter) },
      places: { "127.0.0.1:5432": `127.0.0.1:${port}` },
    });
    await reader.follow("operations.md", "## PostgreSQL");
    const before = await furnish(reader, vendor);
    await reader.follow("operations.md", "### A database of your own");
    await expectSame(reader, vendor, before);
    const databases = await reader.type(
      `psql -At postgresql://postgres@127.0.0.1:${port}/postgres -c "select distinct datname from pg_stat_activity where usename = 'causeway'"`,
    );
    expect(databases).toBe("restored\n");
  },
);

/** Makes an endpoint with a key, an alias and usage; what the server then tells. */
async function furnish(reader: GuideReader, vendor: StrictUpstream): Promise<string> {
  const endpoint = `--label Kept --base-url ${vendor.origin}/v1 --api-key sk-sealed`;
  await reader.type(`npx causeway upstreams create ${endpoint}`);
  await reader.type("npx causeway aliases set kept --vendor custom/kept --model-id strict");
  await reader.type(ask);
  await vi.waitFor(async () => expect(await reader.type(tell)).toContain("call_"), 30_000);
  return reader.type(tell);
}

/** Expects a server that tells the same as before, takes the same key and opens the same secret. */
async function expectSame(
  reader: GuideReader,
  vendor: StrictUpstream,
  before: string,
): Promise<void> {
  expect(await reader.type(tell)).toBe(before);
  await reader.type(ask);
  expect(vendor.exchanges).toHaveLength(2);
  expect(vendor.exchanges.at(-1)?.headers.authorization).toBe("Bearer sk-sealed");
}

/** Where a data directory can be made; gone with the test. */
async function emptyPlace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-guide-srv-"));
  // As /srv is: the account that runs the database of root passes through.
  await chmod(folder, 0o755);
  const place = join(folder, "restored");
  onTestFinished(async () => {
    await removeDataDirectory(join(place, ".causeway"));
    await rm(folder, { recursive: true, force: true });
  });
  return place;
}
