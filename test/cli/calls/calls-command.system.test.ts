import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openCallWriter, type CallFields, type CallWriter } from "../../call-log/call-writer.ts";
import { CausewayProcess, runCauseway } from "../../support/causeway-process.ts";
import { closedPort } from "../../support/closed-port.ts";
import { startServerForTest } from "../../support/server-process.ts";
import { createTestDatabase } from "../../support/test-database.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

vi.setConfig({ testTimeout: 60_000 });

let causeway: TestInstance;
let writer: CallWriter;

beforeAll(async () => {
  causeway = await startTestInstance();
  writer = await openCallWriter(causeway.connectionString);
});

afterAll(async () => {
  await writer.close();
  await causeway.close();
});

async function caller() {
  const user = await causeway.createUser();
  const { id: keyId, secret } = await user.createKey({ scopes: [] });
  const keep = (call: Partial<CallFields> = {}) =>
    writer.keep({ accountId: user.id, keyId, ...call });
  const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: secret };
  return { keyId, keep, environment };
}

/** A tail that ends with the test, if it has not ended before. */
function startTail(words: string, environment: Readonly<Record<string, string>>): CausewayProcess {
  const tail = CausewayProcess.start(`calls tail ${words}`.trim().split(" "), { environment });
  onTestFinished(() => tail.signalGroup("SIGKILL"));
  return tail;
}

const at = Date.UTC(2026, 10, 20, 23);

describe("causeway calls", () => {
  it("list prints what one looks for first, get the rest", async () => {
    const { keep, environment } = await caller();
    const plain = await keep({ endedAt: Date.now() - 2000, ms: 20, firstByteMs: 7 });
    const failed = await keep({
      endedAt: Date.now(),
      ms: 1234,
      target: "bolt/large",
      status: 504,
      errorCode: "upstream_timeout",
      attempts: [
        { target: "acme/large", status: 503, failure: undefined, ms: 1 },
        { target: "bolt/large", status: undefined, failure: "timeout", ms: 2 },
      ],
      tags: { project: "alpha" },
    });
    const list = await runCauseway(["calls", "list"], { environment });
    const [head, first, second, ...more] = list.stdout.trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(head).toMatch(/^ended +status +model +ms +first byte +in +out +usd +id +notes$/);
    expect(first).toMatch(
      new RegExp(
        `^\\S+ \\S+ UTC +504  acme/large → bolt/large  1234 +- +10 +5 +0  ${failed.id}  ` +
          "upstream_timeout, 2 attempts, project=alpha$",
      ),
    );
    expect(second).toMatch(new RegExp(`200  acme/large +20 +7 +10 +5 +0  ${plain.id}  -$`));
    const found = await runCauseway(["calls", "list", "--tag", "project:alpha", "--json"], {
      environment,
    });
    expect(JSON.parse(found.stdout)).toMatchObject({ data: [{ id: failed.id, ms: 1234 }] });
    const one = await runCauseway(["calls", "get", failed.id], { environment });
    expect(one.stdout).toMatch(/^attempts:\n {2}target +status +failure +ms\n {2}acme\/large/m);
  });

  it("list of the operator reads as the others", async () => {
    const { keyId, keep } = await caller();
    const { id } = await keep();
    const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_ADMIN_TOKEN: causeway.adminToken };
    const words = ["admin-calls", "list", "--key-id", keyId];
    const { stdout } = await runCauseway(words, { environment });
    expect(stdout).toMatch(new RegExp(`^ended +status.*\n.* 200 .* ${id} `));
  });

  it("usage list sums by the value of a tag", async () => {
    const { keep, environment } = await caller();
    await keep({ tags: { project: "alpha" } });
    await keep({ tags: { project: "beta" } });
    const words = ["usage", "list", "--group-by", "tag", "--tag", "project"];
    const { stdout } = await runCauseway(words, { environment });
    expect(stdout.split("\n")).toEqual([
      "tag    requests  repeated  in  cached  out  usd  notes",
      "alpha         1         0  10       0    5    0  -",
      "beta          1         0  10       0    5    0  -",
      "",
    ]);
  });
});

describe("causeway calls tail", () => {
  it("shows the last calls and then each as it ends, and ends with Ctrl-C", async () => {
    const { keep, environment } = await caller();
    const old = await keep({ endedAt: at });
    const tail = startTail("", environment);
    await tail.line(new RegExp(` ${old.id} `));
    const fresh = await keep({ endedAt: at + 9000 });
    await tail.line(new RegExp(` ${fresh.id} `));
    const slow = await keep({ endedAt: at + 8000 });
    await tail.line(new RegExp(` ${slow.id} `));
    tail.signalGroup("SIGINT");
    const { code, stdout, stderr } = await tail.ended();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^ended +status/),
      expect.stringContaining(old.id),
      expect.stringContaining(fresh.id),
      expect.stringContaining(slow.id),
    ]);
  });

  it("shows those that its conditions let through, each as a line of JSON", async () => {
    const { keep, environment } = await caller();
    await keep({ endedAt: at });
    const failed = await keep({ endedAt: at + 1, status: 502 });
    const tail = startTail("--status 502 --json", environment);
    const [line] = await tail.line(/^\{.*\}$/);
    expect(JSON.parse(line)).toMatchObject({ id: failed.id, status: 502 });
    tail.signal("SIGTERM");
    expect(await tail.ended()).toMatchObject({ code: 0, stdout: `${line}\n` });
  });

  it("waits for a server that starts again, and misses nothing meanwhile", async () => {
    const databaseUrl = (await createTestDatabase()).connectionString;
    const server = await startServerForTest({ databaseUrl });
    const user = await server.createUser();
    const { id: keyId, secret } = await user.createKey();
    const calls = await openCallWriter(databaseUrl);
    onTestFinished(() => calls.close());
    const own = { accountId: user.id, keyId };
    const before = await calls.keep(own);
    const tail = startTail("", { CAUSEWAY_URL: server.url, CAUSEWAY_KEY: secret });
    await tail.line(new RegExp(` ${before.id} `));
    await server.stop();
    await tail.logLine(/^waiting: /);
    const meanwhile = await calls.keep(own);
    const { port } = new URL(server.url);
    const environment = { ...server.environment, CAUSEWAY_PORT: port };
    await startServerForTest({ databaseUrl, environment });
    await tail.line(new RegExp(` ${meanwhile.id} `));
    const after = await calls.keep(own);
    await tail.line(new RegExp(` ${after.id} `));
    expect(tail.stderr).toMatch(/^waiting: .+\nback again\n$/);
    expect(tail.stdout.trimEnd().split("\n")).toHaveLength(4);
  });

  it("says what is wrong, and ends, where asking again would not help", async () => {
    const key = `cwk_${"x".repeat(49)}`;
    const refused = await startTail("", {
      CAUSEWAY_URL: causeway.url,
      CAUSEWAY_KEY: key,
    }).ended();
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^unauthorized: /) });
    const url = `http://127.0.0.1:${await closedPort()}`;
    const away = await startTail("", { CAUSEWAY_URL: url, CAUSEWAY_KEY: key }).ended();
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached") });
    const unread = await startTail("--status 99999999999", {}).ended();
    expect(unread).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: /) });
  });
});
