import { describe, expect, it } from "vitest";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { SeededRandom } from "../../support/seeded-random.ts";
import type { AliasRouting } from "../../../src/domain/alias-target.ts";
import { call } from "../call.ts";
import { startModelApp, type ModelApp } from "../model-app.ts";

const path = "/v1/chat/completions";
const body = { model: "@pool", messages: [] };
const message = { role: "assistant", content: "Hello" };
const choice = { index: 0, finish_reason: "stop", message };
const ok = json({ id: "c", object: "chat.completion", model: "m", choices: [choice] });

const slugs = ["one", "two", "three"];

function poolOf(rules: Partial<AliasRouting>, weights: readonly number[] = [1, 1, 1]) {
  const [first, ...others] = slugs.map((slug, at) => ({
    vendor: `custom/${slug}`,
    modelId: "m",
    weight: weights[at] ?? 1,
  }));
  if (first === undefined) throw new Error("no target");
  return { targets: [first, ...others], strategy: "weighted", affinity: "none", ...rules } as const;
}

async function start(pool: AliasRouting, upstreams: readonly FakeUpstream[]): Promise<ModelApp> {
  const random = new SeededRandom(3);
  const app = await startModelApp({ aliases: { pool }, random: () => random.next() });
  for (const [at, slug] of slugs.entries()) {
    const origin = upstreams[at]?.origin ?? "";
    app.addEndpoint({ slug, baseUrl: new URL(`${origin}/v1`) });
  }
  return app;
}

const startUpstreams = () => Promise.all(slugs.map(() => startFakeUpstream(ok)));

const targetOf = async (app: ModelApp, headers: Record<string, string>, sent: object = body) =>
  (await call(app, path, { ...sent }, headers)).headers["x-svc-target"];

describe("an alias with the strategy weighted", () => {
  it("[pool.weighted] spreads calls by weight", async () => {
    const upstreams = await startUpstreams();
    const app = await start(poolOf({}, [6, 3, 1]), upstreams);
    for (let made = 0; made < 300; made++) await call(app, path, body);
    const shares = upstreams.map(({ requests }) => requests.length / 3);
    expect(Math.abs((shares[0] ?? 0) - 60)).toBeLessThan(8);
    expect(Math.abs((shares[1] ?? 0) - 30)).toBeLessThan(8);
    expect(Math.abs((shares[2] ?? 0) - 10)).toBeLessThan(8);
  });
});

describe("an alias with the affinity session", () => {
  const pool = poolOf({ affinity: "session" });
  const sessions = Array.from({ length: 12 }, (_, at) => ({ "x-svc-session": `s${at}` }));

  it("[pool.affinity] sends a session to the same target at two processes", async () => {
    const upstreams = await startUpstreams();
    const [here, there] = [await start(pool, upstreams), await start(pool, upstreams)];
    const seen = new Set<unknown>();
    for (const session of sessions) {
      const target = await targetOf(here, session);
      expect(await targetOf(there, session)).toBe(target);
      seen.add(target);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it("[pool.affinity] takes prompt_cache_key where there is no x-svc-session", async () => {
    const app = await start(pool, await startUpstreams());
    const sent = (key: string) => ({ ...body, prompt_cache_key: key });
    const seen = new Set<unknown>();
    for (let at = 0; at < 12; at++) {
      const target = await targetOf(app, {}, sent(`k${at}`));
      expect(await targetOf(app, {}, sent(`k${at}`))).toBe(target);
      seen.add(target);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it("[pool.affinity] takes metadata.user_id of messages callers", async () => {
    const app = await start(pool, await startUpstreams());
    const seen = new Set<unknown>();
    for (let at = 0; at < 12; at++) {
      const sent = { ...body, max_tokens: 5, metadata: { user_id: `u${at}` } };
      const of = async () => (await call(app, "/v1/messages", sent)).headers["x-svc-target"];
      const target = await of();
      expect(await of()).toBe(target);
      seen.add(target);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  it("[pool.affinity] leaves a target while it rests, and comes back", async () => {
    const upstreams = await startUpstreams();
    const app = await start(pool, upstreams);
    const [session = {}] = sessions;
    const home = await targetOf(app, session);
    const at = slugs.findIndex((slug) => home === `custom/${slug}/m`);
    upstreams[at]?.playOnce(json({ error: {} }, 429, { "retry-after": "0" }));
    expect(await targetOf(app, session)).not.toBe(home);
    expect(await targetOf(app, session)).toBe(home);
  });
});

describe("an alias with the strategy fastest", () => {
  it("[pool.fastest] learns who answers soonest", async () => {
    const upstreams = await startUpstreams();
    upstreams[0]?.play(async (response, request) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      ok(response, request);
    });
    const app = await start(poolOf({ strategy: "fastest" }), upstreams);
    for (let made = 0; made < 150; made++) await call(app, path, body);
    expect(upstreams[0]?.requests.length).toBeLessThan(100);
  });
});

describe("an alias with the affinity session whose caller sends a key of megabytes", () => {
  const pool = poolOf({ affinity: "session" });

  it("chooses as if the call had no session", async () => {
    const app = await start(pool, await startUpstreams());
    const seen = new Set<unknown>();
    const long = { ...body, prompt_cache_key: "k".repeat(100 * 1024) };
    for (let made = 0; made < 24; made++) seen.add(await targetOf(app, {}, long));
    expect(seen.size).toBeGreaterThan(1);
  });
});
