import { once, EventEmitter } from "node:events";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { UpstreamService } from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { ApiError, notFoundError } from "../../../src/platform/errors.ts";
import type { IdempotencyState, IdempotentRequest } from "../../../src/platform/idempotency.ts";
import { allowAnyReplay, type ReplayAuthorizer } from "../../../src/platform/replay-checks.ts";
import type { IdempotencyRecordStore } from "../../../src/transport/interceptors/idempotency.ts";
import { partialService, rest, startCallServer, type CallServer } from "../support/call-server.ts";

/** Keeps uses in memory. */
class MemoryStore implements IdempotencyRecordStore {
  readonly uses: IdempotentRequest[] = [];
  readonly #responses = new Map<string, { bodyHash: string; response: Uint8Array | undefined }>();

  begin(use: IdempotentRequest): Promise<IdempotencyState> {
    this.uses.push(use);
    const id = `${use.accountId} ${use.route} ${use.key}`;
    const known = this.#responses.get(id);
    if (known === undefined) {
      this.#responses.set(id, { bodyHash: use.bodyHash, response: undefined });
      return Promise.resolve({ kind: "started", attempt: this.#attempt(id, use.bodyHash) });
    }
    if (known.bodyHash !== use.bodyHash) return Promise.resolve({ kind: "other_body" });
    const { response } = known;
    return Promise.resolve(
      response === undefined ? { kind: "running" } : { kind: "completed", response },
    );
  }

  #attempt(id: string, bodyHash: string) {
    return {
      complete: async (response: Uint8Array) =>
        void this.#responses.set(id, { bodyHash, response }),
      abandon: async () => void this.#responses.delete(id),
    };
  }
}

interface Counted {
  readonly server: CallServer;
  readonly store: MemoryStore;
  readonly calls: () => number;
  readonly release: EventEmitter;
}

/**
 * A server whose handler counts its calls; it fails for `refused` and waits for
 * `slow`. What was answered is given again as long as `mayRepeat` throws nothing.
 */
async function startCounting(
  store = new MemoryStore(),
  mayRepeat: ReplayAuthorizer = allowAnyReplay,
): Promise<Counted> {
  let calls = 0;
  const release = new EventEmitter();
  const upstream = partialService(UpstreamService, {
    createUpstream: async ({ label }) => {
      calls += 1;
      if (label === "refused") throw notFoundError("endpoint");
      if (label === "slow") {
        release.emit("started");
        await once(release, "go");
      }
      return { upstream: { slug: `slug-${calls}` } };
    },
  });
  const mounted = { ...upstream, repeatChecks: { createUpstream: mayRepeat } };
  const server = await startCallServer([mounted], { idempotencyStore: store });
  return { server, store, calls: () => calls, release };
}

const body = { label: "l", base_url: "https://a.test", api_key: "k" };

function create(server: CallServer, key: string | undefined, change: object = {}) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return rest(server, "POST", "/v1/upstreams", {
    token: "writer",
    body: { ...body, ...change },
    headers,
  });
}

describe("a call with an Idempotency-Key", () => {
  it("runs once and gives its answer again", async () => {
    const { server, calls, store } = await startCounting();
    const first = await create(server, "k1");
    const again = await create(server, "k1");
    expect(first).toMatchObject({ status: 201, body: { upstream: { slug: "slug-1" } } });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(calls()).toBe(1);
    expect(store.uses[0]).toMatchObject({
      accountId: "user_1",
      route: "causeway.upstream.v1.UpstreamService/CreateUpstream",
      key: "k1",
    });
  });

  it("is the same call over Connect", async () => {
    const { server, calls } = await startCounting();
    const transport = createConnectTransport({ baseUrl: server.origin, httpVersion: "1.1" });
    const client = createClient(UpstreamService, transport);
    const headers = { authorization: "Bearer writer", "idempotency-key": "k1" };
    const message = { label: "l", baseUrl: "https://a.test", apiKey: "k" };
    const first = await client.createUpstream(message, { headers });
    expect((await create(server, "k1")).body).toMatchObject({
      upstream: { slug: first.upstream?.slug },
    });
    expect(calls()).toBe(1);
    const other = client.createUpstream({ ...message, label: "other" }, { headers });
    await expect(other).rejects.toMatchObject({ code: Code.InvalidArgument });
    await expect(other).rejects.toBeInstanceOf(ConnectError);
  });

  it("is refused with another body", async () => {
    const { server } = await startCounting();
    await create(server, "k1");
    const other = await create(server, "k1", { label: "other" });
    expect(other).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "Idempotency-Key" },
    });
  });

  it("is refused while the first one runs", async () => {
    const { server, release } = await startCounting();
    const started = once(release, "started");
    const first = create(server, "k1", { label: "slow" });
    await started;
    expect(await create(server, "k1", { label: "slow" })).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
    release.emit("go");
    expect((await first).status).toBe(201);
  });

  it.each([
    ["has been answered", "l"],
    ["still runs", "slow"],
  ])("that %s is refused to who could not make it now", async (_state, label) => {
    const { server, release, calls } = await startCounting(new MemoryStore(), () => {
      throw new ApiError("insufficient_scope", "Your rank is too low by now.");
    });
    const isUnderWay = label === "slow" ? once(release, "started") : undefined;
    const first = create(server, "k1", { label });
    await (isUnderWay ?? first);
    expect(await create(server, "k1", { label })).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope", message: "Your rank is too low by now." },
    });
    release.emit("go");
    expect((await first).status).toBe(201);
    expect(calls()).toBe(1);
  });

  it("may be repeated when it was refused", async () => {
    const { server, calls } = await startCounting();
    expect((await create(server, "k1", { label: "refused" })).status).toBe(404);
    expect((await create(server, "k1")).status).toBe(201);
    expect(calls()).toBe(2);
  });

  it("is not kept when it breaks a rule", async () => {
    const { server, store } = await startCounting();
    expect((await create(server, "k1", { label: "" })).status).toBe(400);
    expect(store.uses).toEqual([]);
  });

  it.each([
    ["no character", ""],
    ["256 characters", "k".repeat(256)],
  ])("needs a key of 1 to 255 characters, not one of %s", async (_, key) => {
    const { server } = await startCounting();
    expect(await create(server, key)).toMatchObject({
      status: 400,
      body: { param: "Idempotency-Key" },
    });
  });

  it("keeps its answer when the record cannot be written", async () => {
    const store = new MemoryStore();
    store.begin = async () => ({
      kind: "started",
      attempt: {
        complete: () => Promise.reject(new Error("database away")),
        abandon: () => Promise.resolve(),
      },
    });
    const { server } = await startCounting(store);
    expect((await create(server, "k1")).status).toBe(201);
    await server.accessLine();
    expect(server.logLines()).toContainEqual(
      expect.objectContaining({ msg: "idempotency record not settled" }),
    );
  });
});

describe("a method that takes an Idempotency-Key", () => {
  it("[idempotency.rights] cannot be served unless it is said who may have its answers again", async () => {
    const silent = { ...partialService(UpstreamService, {}), repeatChecks: {} };
    await expect(startCallServer([silent])).rejects.toThrow(
      "UpstreamService.CreateUpstream does not say who may repeat it",
    );
  });
});

describe("a call without an Idempotency-Key", () => {
  it("runs every time", async () => {
    const { server, calls, store } = await startCounting();
    await create(server, undefined);
    await create(server, undefined);
    expect(calls()).toBe(2);
    expect(store.uses).toEqual([]);
  });
});
