/** What an alias of several targets may say, and how it is shown. */
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  AliasAffinity,
  AliasRoute,
  AliasService,
  AliasStrategy,
} from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  const vendor = {
    base_url: "http://127.0.0.1:9/v1",
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: ["large", "small"],
  };
  causeway = await startTestInstance({
    file: { vendors: { acme: { label: "Acme", ...vendor }, bolt: { label: "Bolt", ...vendor } } },
  });
});

afterAll(() => causeway.close());

const put = (user: TestUser, body: unknown) =>
  causeway.call("PUT", "/v1/aliases/pool", { token: user.session, body });

async function shown(user: TestUser) {
  const { body } = await causeway.call("GET", "/v1/aliases", { token: user.session });
  return body[0];
}

const large = { vendor: "acme", model_id: "large" };
const small = { vendor: "bolt", model_id: "small" };

describe("an alias with several targets", () => {
  it("shows them, how one is chosen, and the first as its own vendor and model", async () => {
    const user = await causeway.createUser();
    const targets = [
      { ...large, weight: 3 },
      { ...small, route: "credits" },
    ];
    const { status } = await put(user, { targets, strategy: "weighted", affinity: "session" });
    expect(status).toBe(200);
    expect(await shown(user)).toMatchObject({
      vendor: "acme",
      model_id: "large",
      targets,
      strategy: "weighted",
      affinity: "session",
    });
  });

  it("goes to them in order, and keeps no session, unless it says so", async () => {
    const user = await causeway.createUser();
    await put(user, { targets: [{ vendor: "acme" }, small] });
    expect(await shown(user)).toMatchObject({
      vendor: "acme",
      model_id: null,
      targets: [{ vendor: "acme" }, small],
      strategy: "order",
      affinity: "none",
    });
  });

  it("is available when one of its targets is", async () => {
    const user = await causeway.createUser();
    await put(user, { targets: [large, small] });
    expect(await shown(user)).toMatchObject({ available: false });
    const path = "/v1/vendors/bolt/credential";
    await causeway.call("PUT", path, { token: user.session, body: { api_key: "k" } });
    expect(await shown(user)).toMatchObject({ available: true });
  });

  it("has none of the three fields any more once it has one target", async () => {
    const user = await causeway.createUser();
    await put(user, { targets: [large, small], strategy: "fastest" });
    await put(user, small);
    const alias = await shown(user);
    expect(alias).toMatchObject(small);
    expect(Object.keys(alias)).not.toEqual(expect.arrayContaining(["targets"]));
    expect(Object.keys(alias)).not.toEqual(expect.arrayContaining(["strategy"]));
    expect(Object.keys(alias)).not.toEqual(expect.arrayContaining(["affinity"]));
  });

  it("is told to devices with its targets, over gRPC too", async () => {
    const user = await causeway.createUser();
    const transport = createGrpcTransport({ baseUrl: causeway.url });
    const client = createClient(AliasService, transport);
    const headers = { authorization: `Bearer ${user.session}` };
    const targets = [
      { vendor: "acme", modelId: "large", weight: 100 },
      { vendor: "bolt", route: AliasRoute.BYO },
    ];
    await client.setAlias(
      {
        token: "pool",
        targets,
        strategy: AliasStrategy.WEIGHTED,
        affinity: AliasAffinity.SESSION,
      },
      { headers },
    );
    const { changes } = await client.listAliasChanges({}, { headers });
    expect(changes[0]?.alias).toMatchObject({
      targets,
      strategy: AliasStrategy.WEIGHTED,
      affinity: AliasAffinity.SESSION,
    });
  });

  it("stands in the audit log whole", async () => {
    const user = await causeway.createUser();
    await put(user, { targets: [large, { ...small, weight: 2 }] });
    const { body } = await causeway.call("GET", "/v1/audit", { token: user.session });
    const event = body.data.find(({ type }: { type: string }) => type === "alias.created");
    expect(event.after).toMatchObject({
      targets: [large, { ...small, weight: 2 }],
      strategy: "order",
      affinity: "none",
    });
  });

  it("may repeat the first target as its vendor and model", async () => {
    const user = await causeway.createUser();
    expect(await put(user, { ...large, targets: [large, small] })).toMatchObject({ status: 200 });
  });

  it.each([
    [{ targets: [large] }, "targets"],
    [{ targets: [] }, "targets"],
    [{ vendor: "acme", targets: [] }, "targets"],
    [{ targets: Array.from({ length: 9 }, (_, n) => ({ ...large, model_id: `${n}` })) }, "targets"],
    [{ targets: [large, large] }, "targets"],
    [{ targets: [large, { ...large, weight: 5 }] }, "targets"],
    [{ vendor: "bolt", targets: [large, small] }, "targets"],
    [{ vendor: "acme", model_id: "small", targets: [large, small] }, "targets"],
    [{ targets: [large, { vendor: "nobody" }] }, "targets[1].vendor"],
    [{ targets: [large, {}] }, "targets[1].vendor"],
    [{ targets: [large, { ...small, weight: 0 }] }, "targets[1].weight"],
    [{ targets: [large, { ...small, weight: 101 }] }, "targets[1].weight"],
    [{ targets: [large, { ...small, route: "auto" }] }, "targets[1].route"],
    [{ targets: [large, { vendor: "custom/x", route: "credits" }] }, "targets[1].route"],
    [{ targets: [large, { ...small, share: 1 }] }, "targets[1].share"],
    [{ targets: [large, small], strategy: "random" }, "strategy"],
    [{ targets: [large, small], affinity: "session" }, "affinity"],
    [{ targets: [large, small], strategy: "fastest", affinity: "session" }, "affinity"],
    [{ ...large, strategy: "order" }, "strategy"],
    [{ ...large, affinity: "none" }, "affinity"],
  ])("[pool.targets] refuses the body %j and names %s", async (body, param) => {
    const user = await causeway.createUser();
    expect(await put(user, body)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param },
    });
  });

  it("may name one model twice, of which the wallet pays one", async () => {
    const user = await causeway.createUser();
    const targets = [large, { ...large, route: "credits" }];
    expect(await put(user, { targets })).toMatchObject({ status: 200 });
  });
});
