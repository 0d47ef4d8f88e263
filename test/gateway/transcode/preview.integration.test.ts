import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import {
  startTestInstance,
  type TestInstance,
  type TestUser,
} from "../../support/test-instance.ts";
import { responseFixtures } from "./response-fixtures.ts";
import type { CallerName } from "./clients.ts";
import { histories } from "./histories.ts";
import { crossPairs, paths, type Body } from "./pairs.ts";

let causeway: TestInstance;
let user: TestUser;
let key: string;
const upstreams: Partial<Record<CallerName, FakeUpstream>> = {};

beforeAll(async () => {
  causeway = await startTestInstance();
  user = await causeway.createUser();
  key = (await user.createKey()).secret;
});

afterAll(() => causeway.close());

/** The styles that an endpoint of one's own may have. */
const pairs = crossPairs.filter(({ upstream }) => upstream !== "responses");

async function upstreamOf(dialect: CallerName): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(json({ object: "list", data: [{ id: "up" }] }));
  const fields = {
    label: `${dialect} ${upstream.port}`,
    base_url: `${upstream.origin}/v1`,
    api_key: "k",
    dialect: `dialect_${dialect}`,
  };
  const made = await causeway.call("POST", "/v1/upstreams", { token: user.session, body: fields });
  expect(made.status).toBe(201);
  upstreams[dialect] = upstream;
  upstream.play(json(responseFixtures[dialect].whole));
  return upstream;
}

function preview(from: CallerName, to: CallerName, body: Body, token = key) {
  const asked = { from, to: `dialect_${to}`, body };
  return causeway.call("POST", "/v1/transcode/preview", { token, body: asked });
}

describe.each(pairs)("previewTranscode, $caller caller, $upstream upstream", (pair) => {
  const { caller, upstream: to } = pair;

  it.each(["up", "claude-opus-4-8", "anthropic/claude-sonnet-4-5", "gpt-5-mini"])(
    "[preview.no-call] shows what a call sends and warns of, and calls nobody (%s)",
    async (name) => {
      const upstream = await upstreamOf(to);
      const before = upstream.requests.length;
      const model = `custom/${to}-${upstream.port}/${name}`;
      const body = { model, ...histories[caller], temperature: 0.5 };
      const shown = await preview(caller, to, body);
      expect(shown.status).toBe(200);
      expect(upstream.requests).toHaveLength(before);
      const reply = await causeway.call("POST", paths[caller], { token: key, body });
      expect(reply.status).toBe(200);
      const sent = JSON.parse((await upstream.request(before)).body.toString()) as Body;
      expect({ ...(shown.body.body as Body), model: name }).toEqual(sent);
      const warnings = (
        shown.body.warnings as { path: string; action: string; reason: string }[]
      ).map(({ path, action, reason }) => `"${path}";action=${action};reason=${reason}`);
      expect(warnings.length).toBeGreaterThan(0);
      expect(reply.headers.get("x-svc-warnings")).toBe(warnings.join(", "));
    },
  );

  it("[preview.no-call] refuses what a call refuses, with the same path", async () => {
    const upstream = await upstreamOf(to);
    const body = { model: `custom/${to}-${upstream.port}/up`, ...histories[caller], tools: 7 };
    const [shown, reply] = await Promise.all([
      preview(caller, to, body),
      causeway.call("POST", paths[caller], { token: key, body }),
    ]);
    expect([shown.status, reply.status]).toEqual([400, 400]);
    expect(shown.body).toMatchObject({ error: "invalid_request", param: "tools" });
  });
});

describe("previewTranscode", () => {
  it("[preview.no-call] needs a key with gateway:invoke", async () => {
    const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
    const { secret } = await user.createKey({ scopes: ["teams:read"] });
    expect((await preview("chat", "messages", body, secret)).status).toBe(403);
    expect((await preview("chat", "messages", body, "cwk_x")).status).toBe(401);
    expect((await preview("chat", "messages", body)).body).toMatchObject({
      body: { model: "m", messages: [{ role: "user" }] },
    });
  });

  it.each(["chat", "responses", "messages"] as const)(
    "shows a body of the upstream's own dialect as it is (%s)",
    async (dialect) => {
      const body = { model: "m", ...histories[dialect], max_completion_tokens: 5, unknown: [1] };
      expect((await preview(dialect, dialect, body)).body).toEqual({ body, warnings: [] });
      expect(await preview(dialect, dialect, { messages: [] })).toMatchObject({
        status: 400,
        body: { param: "model" },
      });
    },
  );
});
