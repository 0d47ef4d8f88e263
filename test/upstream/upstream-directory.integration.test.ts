import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DatabaseChangeFeed } from "../../src/platform/database/change-feed.ts";
import { newResourceId } from "../../src/platform/ids.ts";
import { createUpstream, type NewCustomEndpoint } from "../../src/upstream/create-upstream.ts";
import { updateUpstream } from "../../src/upstream/update-upstream.ts";
import {
  CustomEndpointDirectory,
  type CustomEndpointDirectoryDependencies,
} from "../../src/upstream/upstream-directory.ts";
import type { CustomEndpointDependencies } from "../../src/upstream/upstream-probe.ts";
import { UpstreamSecretSealer } from "../../src/upstream/upstream-secrets.ts";
import { deleteUpstream } from "../../src/upstream/upstreams.ts";
import {
  actor,
  listingUpstream,
  openEndpointFixture,
  person,
  type EndpointFixture,
} from "../support/endpoint-fixture.ts";
import { FakeFeed } from "../support/fake-feed.ts";
import { startLoopbackServer } from "../support/loopback-server.ts";
import { waitUntil } from "../support/wait-until.ts";

let fixture: EndpointFixture;
let dependencies: CustomEndpointDependencies;

beforeAll(async () => {
  fixture = await openEndpointFixture();
  const { dialer, box, budget, clock } = fixture;
  dependencies = {
    dialer,
    secrets: new UpstreamSecretSealer(box),
    budget,
    clock,
    cooldownsOf: () => new Map(),
  };
});

afterAll(() => fixture.close());

describe("UpstreamDirectory", () => {
  it("gives what a call needs, at once when warm", async () => {
    const { accountId, origin, row } = await withEndpoint();
    const directory = openDirectory(new FakeFeed());
    const found = await directory.find(accountId, "gpu");
    expect(found).toMatchObject({
      id: row.id,
      accountId,
      slug: "gpu",
      label: "GPU",
      dialect: "dialect_chat",
      headers: { "x-team": "blue" },
      models: ["m"],
      poolKey: `upstream:${row.id}`,
    });
    expect(found?.baseUrl.href).toBe(`${origin}/v1`);
    expect(found?.apiKey.reveal()).toBe("sk-secret");
    expect(JSON.stringify(found)).not.toContain("sk-secret");
    expect(directory.find(accountId, "gpu")).toBe(found);
    expect(directory.find(accountId, "other")).toBeUndefined();
    expect(await directory.find(newResourceId("user"), "gpu")).toBeUndefined();
    expect(await directory.list(accountId)).toEqual([found]);
  });

  it("hears of changes in every process and drops the connections", async () => {
    const { accountId, who, row } = await withEndpoint();
    const feed = new DatabaseChangeFeed({
      connectionString: fixture.database.connectionString,
      log: fixture.silent,
    });
    const dropped: string[] = [];
    const directory = openDirectory(feed, (poolKey) => dropped.push(poolKey));
    await feed.start();
    onTestFinished(() => feed.close());
    await directory.find(accountId, "gpu");
    await updateUpstream(fixture.fork(), who, "gpu", { apiKey: "another" }, dependencies);
    await waitUntil(async () => {
      return (await directory.find(accountId, "gpu"))?.apiKey.reveal() === "another";
    });
    await deleteUpstream(fixture.fork(), who, "gpu");
    await waitUntil(async () => (await directory.find(accountId, "gpu")) === undefined);
    expect(dropped).toContain(`upstream:${row.id}`);
  });

  it("fails alone for an endpoint whose secrets cannot be opened", async () => {
    const { accountId, row } = await withEndpoint();
    await fixture.select("update upstreams set api_key = headers where id = ?", row.id);
    const directory = openDirectory(new FakeFeed());
    const found = await directory.find(accountId, "gpu");
    expect(found?.headers).toEqual({ "x-team": "blue" });
    expect(() => found?.apiKey).toThrow("cannot be opened");
  });
});

function openDirectory(
  feed: CustomEndpointDirectoryDependencies["feed"],
  dropPool: (poolKey: string) => void = () => {},
): CustomEndpointDirectory {
  const { fork, clock } = fixture;
  return new CustomEndpointDirectory({
    fork,
    feed,
    clock,
    dialer: { dropPool },
    secrets: dependencies.secrets,
  });
}

async function withEndpoint() {
  const { origin } = await startLoopbackServer(listingUpstream(["m"]).listener);
  const accountId = newResourceId("user");
  const who = actor(person(accountId));
  const input: NewCustomEndpoint = {
    label: "GPU",
    baseUrl: origin,
    apiKey: "sk-secret",
    dialect: "auto",
    headers: { "X-Team": "blue" },
    models: [],
  };
  return {
    accountId,
    origin,
    who,
    row: await createUpstream(fixture.fork(), who, input, dependencies),
  };
}
