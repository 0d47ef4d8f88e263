import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dialect } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import { openEndpointFixture, refusal, type EndpointFixture } from "../support/endpoint-fixture.ts";
import { sendJson, startLoopbackServer } from "../support/loopback-server.ts";
import { auditTypes, create, createCaller, withEndpoint } from "./upstream-caller.ts";

let fixture: EndpointFixture;

beforeAll(async () => {
  fixture = await openEndpointFixture();
});

afterAll(() => fixture.close());

describe("updateUpstream", () => {
  it("changes nothing for an empty patch or the same values", async () => {
    const { client, requests, accountId } = await withEndpoint(fixture, {
      headers: { "X-Team": "blue" },
    });
    const before = (await client.listUpstreams({})).data[0];
    await client.updateUpstream({ slug: "my-gpu", updateMask: { paths: [] } });
    await client.updateUpstream({ slug: "my-gpu" });
    const same = { label: "My GPU", apiKey: "sk-secret", dialect: Dialect.CHAT };
    const { upstream } = await client.updateUpstream({
      slug: "my-gpu",
      ...same,
      headers: { "X-Team": "[redacted]" },
    });
    expect(upstream).toEqual(before);
    expect(requests).toHaveLength(1);
    expect(await auditTypes(fixture, accountId)).toEqual(["upstream.created"]);
  });

  it("changes label, models and names without a probe", async () => {
    const { client, requests, accountId } = await withEndpoint(fixture);
    const { upstream, probe } = await client.updateUpstream({
      slug: "my-gpu",
      label: "Other",
      models: ["x", "y", "x"],
      modelNames: { x: "Ex" },
    });
    expect(upstream).toMatchObject({
      slug: "my-gpu",
      label: "Other",
      models: ["x", "y"],
      modelNames: { x: "Ex" },
    });
    expect(probe).toMatchObject({ ok: true });
    expect(requests).toHaveLength(1);
    expect(await auditTypes(fixture, accountId)).toEqual(["upstream.created", "upstream.updated"]);
    const cleared = await client.updateUpstream({
      slug: "my-gpu",
      updateMask: { paths: ["models", "model_names"] },
    });
    expect(cleared.upstream).toMatchObject({ models: [], modelNames: {} });
  });

  it("probes again with another key", async () => {
    const { client, requests } = await withEndpoint(fixture);
    await client.updateUpstream({ slug: "my-gpu", apiKey: "another" });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer sk-secret",
      "Bearer another",
    ]);
  });

  it("probes again in another dialect", async () => {
    const { client, requests } = await withEndpoint(fixture);
    const { upstream } = await client.updateUpstream({ slug: "my-gpu", dialect: Dialect.MESSAGES });
    expect(upstream?.dialect).toBe(Dialect.MESSAGES);
    expect(requests[1]?.headers["x-api-key"]).toBe("sk-secret");
  });

  it("[probe.patch-headers] replaces headers whole, keeps what is redacted, and probes again", async () => {
    const { client, requests } = await withEndpoint(fixture, {
      headers: { "X-Team": "blue", "X-Old": "1" },
    });
    const headers = { "x-team": "[redacted]", "x-new": "2" };
    const { upstream } = await client.updateUpstream({ slug: "my-gpu", headers });
    expect(upstream?.headers).toEqual({ "x-team": "blue", "x-new": "2" });
    expect(requests[1]?.headers).toMatchObject({ "x-team": "blue", "x-new": "2" });
    expect(requests[1]?.headers["x-old"]).toBeUndefined();
    for (const bad of [{ "x-else": "[redacted]" }, { host: "x" }]) {
      const failed = client.updateUpstream({ slug: "my-gpu", headers: bad });
      expect(await refusal(failed)).toMatchObject({ param: `headers.${Object.keys(bad)[0]}` });
    }
  });

  it.each([
    ["base_url", "base_url"],
    ["slug", "slug"],
    ["label", "label"],
    ["api_key", "api_key"],
    ["dialect", "dialect"],
  ])("refuses a mask with %s and no value for it", async (path, param) => {
    const { client } = await withEndpoint(fixture);
    const failed = client.updateUpstream({ slug: "my-gpu", updateMask: { paths: [path] } });
    expect(await refusal(failed)).toMatchObject({ code: "invalid_request", param });
  });

  it("does not keep the probe of a key that was replaced meanwhile", async () => {
    const held = Promise.withResolvers<void>();
    let hold = false;
    const upstream = await startLoopbackServer((request, response) => {
      const { authorization } = request.headers;
      const answer = (): void => sendJson(response, 200, { data: [{ id: String(authorization) }] });
      if (hold && authorization === "Bearer sk-secret") void held.promise.then(answer);
      else answer();
    });
    const { client } = createCaller(fixture);
    await create(client, { baseUrl: upstream.origin });
    hold = true;
    const slow = client.probeUpstream({ slug: "my-gpu" });
    await client.updateUpstream({
      slug: "my-gpu",
      models: [],
      apiKey: "another",
      updateMask: { paths: ["models", "api_key"] },
    });
    held.resolve();
    expect((await slow).upstream?.models).toEqual(["Bearer another"]);
  });
});

describe("probeUpstream", () => {
  it("appends what is listed and removes nothing", async () => {
    let ids = ["a"];
    const upstream = await startLoopbackServer((_, response) =>
      sendJson(response, 200, { data: ids.map((id) => ({ id, name: `${id}!` })) }),
    );
    const { client } = createCaller(fixture);
    await create(client, { baseUrl: upstream.origin });
    await client.updateUpstream({ slug: "my-gpu", modelNames: { a: "Mine" } });
    ids = ["b"];
    const { upstream: row, probe } = await client.probeUpstream({ slug: "my-gpu" });
    expect(row).toMatchObject({ models: ["a", "b"], modelNames: { a: "Mine", b: "b!" } });
    expect(probe).toMatchObject({ ok: true, modelsFound: 1 });
  });

  it("reports a failure as a result and keeps the models", async () => {
    let status = 200;
    const upstream = await startLoopbackServer((_, response) =>
      sendJson(response, status, { data: [{ id: "a" }] }),
    );
    const { client } = createCaller(fixture);
    await create(client, { baseUrl: upstream.origin });
    status = 503;
    const failed = await client.probeUpstream({ slug: "my-gpu" });
    expect(failed).toMatchObject({
      upstream: { models: ["a"] },
      probe: { ok: false, error: "http_503" },
    });
  });

  it("[probe.dialect] decides a dialect that could not be told before", async () => {
    let there = false;
    const upstream = await startLoopbackServer((request, response) => {
      if (!there) sendJson(response, 503, {});
      else sendJson(response, request.headers["x-api-key"] === undefined ? 401 : 200, { data: [] });
    });
    const { client } = createCaller(fixture);
    const made = await create(client, { baseUrl: upstream.origin });
    expect(made.upstream?.dialect).toBe(Dialect.CHAT);
    there = true;
    const probed = await client.probeUpstream({ slug: "my-gpu" });
    expect(probed.upstream?.dialect).toBe(Dialect.MESSAGES);
  });

  it("is limited per account", async () => {
    const { client, accountId } = await withEndpoint(fixture);
    for (let count = 0; count < 99; count++) await fixture.budget.take(accountId);
    const refused = await refusal(client.probeUpstream({ slug: "my-gpu" }));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
    const changed = client.updateUpstream({ slug: "my-gpu", label: "New", apiKey: "another" });
    expect(await refusal(changed)).toMatchObject({ code: "rate_limited" });
    const { data } = await client.listUpstreams({});
    expect(data[0]?.label).toBe("My GPU");
  });
});

describe("deleteUpstream", () => {
  it("removes the endpoint and its secrets, and frees the slug", async () => {
    const { client, accountId, origin } = await withEndpoint(fixture, {
      headers: { "X-Team": "blue" },
    });
    await client.deleteUpstream({ slug: "my-gpu" });
    const stored = "select api_key, headers from upstreams where account_id = ?";
    expect(await fixture.select(stored, accountId)).toEqual([{ api_key: null, headers: null }]);
    expect(await refusal(client.deleteUpstream({ slug: "my-gpu" }))).toMatchObject({
      code: "not_found",
    });
    expect((await client.listUpstreams({})).data).toEqual([]);
    expect(await auditTypes(fixture, accountId)).toEqual(["upstream.created", "upstream.deleted"]);
    const again = await create(client, { baseUrl: origin });
    expect(again.upstream?.slug).toBe("my-gpu");
  });
});
