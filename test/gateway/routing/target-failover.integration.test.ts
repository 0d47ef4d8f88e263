import { describe, expect, it } from "vitest";
import type { AliasRouting } from "../../../src/domain/alias-target.ts";
import type { CallableVendor } from "../../../src/domain/callable-vendor.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { call, readError } from "../call.ts";
import { startModelApp } from "../model-app.ts";

const path = "/v1/chat/completions";
const body = { model: "@pool", messages: [] };
const busy = json({ error: { message: "busy" } }, 503);

const pool: AliasRouting = {
  targets: [
    { vendor: "custom/acme", modelId: "m" },
    { vendor: "two", modelId: "m" },
  ],
  strategy: "order",
  affinity: "none",
};

const catalogue = {
  two: {
    label: "Two",
    baseUrl: "http://127.0.0.1:1/v1",
    dialects: ["dialect_chat"],
    auth: "login",
    models: ["m"],
  },
} as const;

/** The first target fails; the second has to renew its token first, which waits until the test lets it go on. */
async function start() {
  const app = await startModelApp({ catalogue, aliases: { pool } });
  const [one, two] = [await startFakeUpstream(busy), await startFakeUpstream(json({ ok: true }))];
  app.addEndpoint({ baseUrl: new URL(`${one.origin}/v1`) });
  const asked = Promise.withResolvers<void>();
  const renewal = Promise.withResolvers<CallableVendor>();
  const login = {
    hasEnded: false,
    identity: {},
    currentVendor: () => {
      asked.resolve();
      return renewal.promise;
    },
    refresh: () => Promise.resolve(undefined),
  };
  const vendor = { id: "two", baseUrl: new URL(`${two.origin}/v1`), login };
  app.addVendor(vendor);
  return { app, one, two, asked: asked.promise, renewal };
}

describe("a call that waits for its next target", () => {
  it("[pool.last-failure] ends with the first failure when there is no next after all", async () => {
    const { app, asked, renewal, two } = await start();
    const answer = call(app, path, body);
    await asked;
    renewal.reject(new ApiError("upstream_unreachable", "no token"));
    const { status, body: told, headers } = await answer;
    expect([status, readError(told).message, headers["x-svc-target"]]).toEqual([
      503,
      "busy",
      "custom/acme/m",
    ]);
    expect(two.requests).toEqual([]);
  });

  it("ends at once when the server stops", async () => {
    const { app, asked } = await start();
    const answer = call(app, path, body);
    await asked;
    app.routes.closeStreams();
    const { status, body: told } = await answer;
    expect([status, readError(told).code]).toEqual([503, "unavailable"]);
    expect(app.routes.callsInFlight).toBe(0);
  });

  it("dials nobody any more when its caller has left", async () => {
    const { app, asked, renewal, two } = await start();
    const leaving = new AbortController();
    const left = fetch(`${app.origin}${path}`, {
      method: "POST",
      signal: leaving.signal,
      headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    await asked;
    leaving.abort();
    await left;
    expect(await app.record(0)).toMatchObject({ status: 499, attempts: 1 });
    renewal.reject(new ApiError("upstream_unreachable", "no token"));
    await waitUntil(() => app.routes.callsInFlight === 0);
    expect([two.requests, app.faults]).toEqual([[], []]);
  });
});
