import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Client } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dialect } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import { VendorService } from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import type { VendorCatalogEntry } from "../../src/platform/configuration/configuration.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { SingleFlightLoginRefresher } from "../../src/model-vendor/login-refresher.ts";
import { VendorCatalog } from "../../src/model-vendor/vendor-catalog.ts";
import { LinkedVendorDirectory } from "../../src/model-vendor/vendor-directory.ts";
import { createVendorRpc } from "../../src/model-vendor/vendor.rpc.ts";
import { VendorCredentialSealer } from "../../src/model-vendor/vendor-secrets.ts";
import {
  listingUpstream,
  openEndpointFixture,
  person,
  refusal,
  type EndpointFixture,
} from "../support/endpoint-fixture.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { sendJson, startLoopbackServer } from "../support/loopback-server.ts";

let fixture: EndpointFixture;

beforeAll(async () => {
  fixture = await openEndpointFixture();
});

afterAll(() => fixture.close());

describe("listVendors", () => {
  it("shows the catalogue by id, linked or not, in pages", async () => {
    const { client } = newCaller({
      bolt: vendor(),
      acme: vendor({ label: "Acme" }),
      code: vendor(),
    });
    const { data } = await client.listVendors({});
    expect(data.map(({ id }) => id)).toEqual(["acme", "bolt", "code"]);
    expect(data[0]).toMatchObject({
      object: "vendor",
      label: "Acme",
      dialects: [Dialect.CHAT],
      linked: false,
    });
    expect([data[0]?.linkedAt, data[0]?.probe]).toEqual([undefined, undefined]);
    const page = await client.listVendors({ limit: 1, afterId: "acme" });
    expect(page).toMatchObject({ object: "list", hasMore: true, firstId: "bolt", lastId: "bolt" });
    expect(await refusal(client.listVendors({ afterId: "x" }))).toMatchObject({
      param: "after_id",
    });
  });
});

describe("linkVendor", () => {
  it("[file.vendor-auth] [identity.sealed] links a key, probes it in the vendor's style, and seals it", async () => {
    const { listener, requests } = listingUpstream(["m"]);
    const { origin } = await startLoopbackServer(listener);
    const { client, accountId } = newCaller({
      acme: vendor({ baseUrl: origin }),
      bolt: vendor({ baseUrl: origin, auth: "x-api-key", dialects: ["dialect_messages"] }),
    });
    expect(await link(client, "acme")).toMatchObject({
      id: "acme",
      linked: true,
      probe: { ok: true, modelsFound: 1 },
    });
    await link(client, "bolt");
    expect(requests[0]?.headers.authorization).toBe("Bearer sk-secret");
    expect(requests[1]?.headers).toMatchObject({
      "x-api-key": "sk-secret",
      "anthropic-version": "2023-06-01",
    });
    const { data } = await client.listVendors({});
    expect(data.map(({ linked, linkedAt }) => [linked, linkedAt !== undefined])).toEqual([
      [true, true],
      [true, true],
    ]);
    const rows = await fixture.select(
      "select * from vendor_credentials where account_id = ?",
      accountId,
    );
    const events = await fixture.select(
      "select * from audit_events where account_id = ?",
      accountId,
    );
    expect(events).toMatchObject([
      { type: "vendor.linked", target: "acme", after: { credential: "api_key" } },
      { type: "vendor.linked", target: "bolt" },
    ]);
    expect(JSON.stringify([rows, events])).not.toContain("sk-secret");
  });

  it("links a credential whose probe fails", async () => {
    const { origin } = await startLoopbackServer((_, response) => sendJson(response, 401, {}));
    const { client } = newCaller({ acme: vendor({ baseUrl: origin }) });
    expect(await link(client, "acme")).toMatchObject({
      linked: true,
      probe: { ok: false, error: "http_401" },
    });
  });

  it("replaces a credential and leaves the place in the link order", async () => {
    const { origin } = await startLoopbackServer(listingUpstream([]).listener);
    const { client, directory, accountId } = newCaller({
      acme: vendor({ baseUrl: origin }),
      bolt: vendor({ baseUrl: origin }),
    });
    const first = await link(client, "bolt");
    await link(client, "acme");
    const second = await link(client, "bolt", "another");
    expect(second.linkedAt).toEqual(first.linkedAt);
    const linked = await directory.linked(accountId);
    expect(linked.map(({ id, token }) => [id, token.reveal()])).toEqual([
      ["bolt", "another"],
      ["acme", "sk-secret"],
    ]);
  });

  it("links a login with what it needs", async () => {
    const { listener, requests } = listingUpstream([]);
    const { origin } = await startLoopbackServer(listener);
    const { client, directory, accountId } = newCaller({
      code: vendor({ baseUrl: `${origin}/api/`, auth: "login" }),
    });
    const login = {
      accessToken: "at-secret",
      refreshToken: "rt-secret",
      expiresAt: timestampFromDate(new Date(1_900_000_000_000)),
      headers: { "X-Account": "7" },
    };
    await client.linkVendor({ vendor: "code", credential: { case: "login", value: login } });
    expect(requests[0]).toMatchObject({
      url: "/api/models",
      headers: { authorization: "Bearer at-secret", "x-account": "7" },
    });
    const callable = await directory.find(accountId, "code");
    expect(callable).toMatchObject({
      id: "code",
      accountId,
      auth: "login",
      dialects: ["dialect_chat"],
      headers: { "x-account": "7" },
      poolKey: `vendor:${accountId}/code`,
    });
    expect(callable?.baseUrl.href).toBe(`${origin}/api`);
    expect(callable?.token.reveal()).toBe("at-secret");
    expect(directory.find(accountId, "code")).toBe(callable);
  });

  it("refuses what the vendor does not take, and what it does not know", async () => {
    const { client } = newCaller({ acme: vendor(), code: vendor({ auth: "login" }) });
    const login = { case: "login" as const, value: { accessToken: "at", headers: { Host: "x" } } };
    const harmless = { case: "login" as const, value: { accessToken: "at" } };
    const refusals = [
      await refusal(link(client, "code")),
      await refusal(client.linkVendor({ vendor: "acme", credential: harmless })),
      await refusal(client.linkVendor({ vendor: "code", credential: login })),
      await refusal(client.linkVendor({ vendor: "acme" })),
      await refusal(link(client, "nobody")),
    ];
    expect(refusals.map((info) => [info?.code, info?.param])).toEqual([
      ["invalid_request", "api_key"],
      ["invalid_request", "login"],
      ["invalid_request", "login.headers.Host"],
      ["invalid_request", "api_key"],
      ["not_found", ""],
    ]);
    expect((await client.listVendors({})).data.some(({ linked }) => linked)).toBe(false);
  });

  it("survives the same link twice at the same time", async () => {
    const { origin } = await startLoopbackServer(listingUpstream([]).listener);
    const { client } = newCaller({ acme: vendor({ baseUrl: origin }) });
    const made = await Promise.all([link(client, "acme", "a"), link(client, "acme", "b")]);
    expect(made.map(({ linked }) => linked)).toEqual([true, true]);
  });
});

describe("unlinkVendor", () => {
  it("removes the credential; again is no change", async () => {
    const { origin } = await startLoopbackServer(listingUpstream([]).listener);
    const { client, directory, accountId, feed } = newCaller({ acme: vendor({ baseUrl: origin }) });
    await link(client, "acme");
    expect(directory.has("acme")).toBe(true);
    expect((await directory.find(accountId, "acme"))?.id).toBe("acme");
    const unlinked = await client.unlinkVendor({ vendor: "acme" });
    expect(unlinked).toMatchObject({ id: "acme", object: "vendor", linked: false });
    expect((await client.unlinkVendor({ vendor: "acme" })).linked).toBe(false);
    feed.announce({ table: "vendor_credentials", id: `${accountId}/acme`, accountId });
    expect(await directory.find(accountId, "acme")).toBeUndefined();
    const events = await fixture.select(
      "select type from audit_events where account_id = ? order by type",
      accountId,
    );
    expect(events.map(({ type }) => type)).toEqual(["vendor.linked", "vendor.unlinked"]);
    expect(await refusal(client.unlinkVendor({ vendor: "nobody" }))).toMatchObject({
      code: "not_found",
    });
  });
});

function vendor(fields: Partial<VendorCatalogEntry> = {}): VendorCatalogEntry {
  return {
    label: "Vendor",
    baseUrl: "https://nowhere.example/v1",
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: undefined,
    ...fields,
  };
}

function newCaller(vendors: Readonly<Record<string, VendorCatalogEntry>>) {
  const { dialer, box, budget, clock, fork } = fixture;
  const accountId = newResourceId("user");
  const catalogue = new VendorCatalog(vendors);
  const secrets = new VendorCredentialSealer(box);
  const feed = new FakeFeed();
  const transport = fixture.transport(person(accountId), (router) =>
    router.service(
      VendorService,
      createVendorRpc({ catalog: catalogue, dialer, secrets, budget, clock }),
    ),
  );
  const renewals = new SingleFlightLoginRefresher({
    fork,
    clock,
    dialer,
    secrets,
    log: fixture.silent,
  });
  const directory = new LinkedVendorDirectory({
    catalog: catalogue,
    fork,
    feed,
    clock,
    dialer,
    secrets,
    renewals,
  });
  return { client: createClient(VendorService, transport), directory, accountId, feed };
}

function link(client: Client<typeof VendorService>, id: string, apiKey = "sk-secret") {
  return client.linkVendor({ vendor: id, credential: { case: "apiKey", value: apiKey } });
}
