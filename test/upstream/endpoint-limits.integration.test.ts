import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  listingUpstream,
  openEndpointFixture,
  type EndpointFixture,
} from "../support/endpoint-fixture.ts";
import { startLoopbackServer } from "../support/loopback-server.ts";
import { create, createCaller, withEndpoint } from "./upstream-caller.ts";

let fixture: EndpointFixture;

beforeAll(async () => {
  fixture = await openEndpointFixture();
});

afterAll(() => fixture.close());

/** Copies the endpoint of an account. */
async function copyEndpoint(accountId: string, copies: number, models = 0): Promise<void> {
  await fixture.select(
    `insert into "upstreams" select (jsonb_populate_record(u, jsonb_build_object(
       'id', u."id" || '_' || n, 'slug', u."slug" || '-' || n,
       'models', (select coalesce(jsonb_agg('m' || m), '[]') from generate_series(1, ?) m)))).*
     from "upstreams" u, generate_series(1, ?) n where u."account_id" = ?`,
    models,
    copies,
    accountId,
  );
}

describe("the endpoints of an account", () => {
  it("are 100 at most", async () => {
    const { client, accountId, origin } = await withEndpoint(fixture);
    await copyEndpoint(accountId, 98);
    await create(client, { baseUrl: origin });
    await expect(create(client, { baseUrl: origin })).rejects.toThrow("at most 100 endpoints");
    await client.deleteUpstream({ slug: "my-gpu" });
    await create(client, { baseUrl: origin });
  });

  it("have 10,000 models together at most", async () => {
    const { client, accountId, origin } = await withEndpoint(fixture);
    await copyEndpoint(accountId, 5, 1999);
    const models = Array.from({ length: 10 }, (_none, index) => `x${index}`);
    await expect(create(client, { baseUrl: origin, models })).rejects.toThrow(
      "at most 10000 models together",
    );
    const update = { slug: "my-gpu", models, updateMask: { paths: ["models"] } };
    await expect(client.updateUpstream(update)).rejects.toThrow("at most 10000 models together");
    await client.updateUpstream({ ...update, models: models.slice(0, 4) });
  });

  it("leave out models that a probe finds beyond the limit", async () => {
    const { client, accountId } = createCaller(fixture);
    const { listener } = listingUpstream(["a", "b", "c", "d", "e", "f", "g"]);
    const { origin } = await startLoopbackServer(listener);
    await create(client, { baseUrl: origin });
    await copyEndpoint(accountId, 5, 1998);
    const { upstream } = await create(client, { label: "Other", baseUrl: origin, models: ["z"] });
    expect(upstream?.models).toEqual(["z", "a", "b"]);
    await client.deleteUpstream({ slug: "my-gpu-1" });
    const probed = await client.probeUpstream({ slug: "other" });
    expect(probed.upstream?.models).toHaveLength(8);
  });
});
