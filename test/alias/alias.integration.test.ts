import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AliasService } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  const vendor = {
    base_url: "http://127.0.0.1:9/v1",
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: ["acme-large", "acme-small"],
  };
  causeway = await startTestInstance({
    file: {
      vendors: { acme: { label: "Acme", ...vendor }, bolt: { label: "Bolt", ...vendor } },
      credits: {
        keys: { acme: "operator-key" },
        catalog: [
          {
            id: "Acme/Large v2",
            vendor: "acme",
            model: "acme-large",
            input_usd_per_mtok: 1,
            output_usd_per_mtok: 2,
          },
        ],
      },
    },
  });
});

afterAll(() => causeway.close());

const alias = (user: TestUser, method: string, token: string, body?: unknown) =>
  causeway.call(method, `/v1/aliases/${token}`, { token: user.session, body });

describe("aliases", () => {
  it("[alias.list] [alias.shape] [alias.shadow] are listed: own, then built-in, then catalogue, as an array", async () => {
    const user = await causeway.createUser();
    await alias(user, "PUT", "zed", { vendor: "bolt", model_id: "m", label: " Zed " });
    await alias(user, "PUT", "acme", { vendor: "acme" });
    const { status, body } = await causeway.call("GET", "/v1/aliases", { token: user.session });
    expect(status).toBe(200);
    const mine = body.filter(({ vendor }: { vendor: string }) => ["acme", "bolt"].includes(vendor));
    expect(mine.map(({ token, source }: Record<string, string>) => `${source} ${token}`)).toEqual([
      "personal acme",
      "personal zed",
      "built_in acme",
      "built_in bolt",
      "catalog acme-large-v2",
    ]);
    expect(mine[1]).toEqual({
      object: "alias",
      token: "zed",
      vendor: "bolt",
      model_id: "m",
      label: "Zed",
      source: "personal",
      custody: "envelope",
      available: false,
      rev: 1,
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(mine[0]).toMatchObject({ model_id: null, label: null, rev: 2 });
    expect(mine[4]).toMatchObject({ model_id: "acme-large", rev: 0, updated_at: null });
  });

  it("[alias.available] say whether the vendor is linked, also where the operator sells its models", async () => {
    const user = await causeway.createUser();
    const path = "/v1/vendors/acme/credential";
    const availability = async () => {
      const { body } = await causeway.call("GET", "/v1/aliases", { token: user.session });
      return body
        .filter(({ vendor }: { vendor: string }) => vendor === "acme")
        .map(({ source, available }: Record<string, unknown>) => [source, available]);
    };
    const all = (isAvailable: boolean) => [
      ["built_in", isAvailable],
      ["catalog", isAvailable],
    ];
    expect(await availability()).toEqual(all(false));
    const body = { api_key: "k" };
    await causeway.call("PUT", path, { token: user.session, body });
    expect(await availability()).toEqual(all(true));
    await causeway.call("DELETE", path, { token: user.session });
    expect(await availability()).toEqual(all(false));
  });

  it("[alias.write-shape] [alias.replace] are replaced whole", async () => {
    const user = await causeway.createUser();
    const full = { vendor: "acme", model_id: "a", label: "L", custody: "device-held" };
    expect((await alias(user, "PUT", "a.b_c-1", full)).body).toEqual({
      ok: true,
      token: "a.b_c-1",
      rev: 1,
    });
    expect((await alias(user, "PUT", "a.b_c-1", { vendor: "bolt" })).body.rev).toBe(2);
    const { body } = await causeway.call("GET", "/v1/aliases", { token: user.session });
    expect(body[0]).toMatchObject({
      vendor: "bolt",
      model_id: null,
      label: null,
      custody: "envelope",
    });
  });

  it.each([
    ["A", { vendor: "acme" }, "token"],
    ["-a", { vendor: "acme" }, "token"],
    ["%40a", { vendor: "acme" }, "token"],
    ["a".repeat(64), { vendor: "acme" }, "token"],
    ["a", { vendor: "nobody" }, "vendor"],
    ["a", { vendor: "custom/none" }, "vendor"],
    ["a", {}, "vendor"],
    ["a", { vendor: "acme", custody: "shared" }, "custody"],
    ["a", { vendor: "acme", label: "x".repeat(201) }, "label"],
    ["a", { vendor: "acme", modelId: "m" }, "modelId"],
  ])(
    "[alias.put-body] [alias.token] [alias.vendor] [length.alias] refuse the token %s with the body %j and name %s",
    async (token, body, param) => {
      const user = await causeway.createUser();
      expect(await alias(user, "PUT", token, body)).toMatchObject({
        status: 400,
        body: { error: "invalid_request", param },
      });
    },
  );

  it("say of a token in plain words what it may hold", async () => {
    const user = await causeway.createUser();
    const { body } = await alias(user, "PUT", "A", { vendor: "acme" });
    expect(body.message).toMatch(/^`token` is invalid: must be 1 to 63 lower-case letters, digits/);
  });

  it("[alias.put] [alias.delete] [aliases.changes] count every write, deletions included, and tell devices what is new", async () => {
    const user = await causeway.createUser();
    const changes = (after: string) =>
      causeway.call("GET", `/v1/aliases/changes${after}`, { token: user.session });
    expect((await changes("")).body).toEqual({ rev: 0, changes: [] });
    await alias(user, "PUT", "one", { vendor: "acme" });
    await alias(user, "PUT", "two", { vendor: "acme" });
    expect((await alias(user, "DELETE", "one")).body).toEqual({ ok: true, token: "one", rev: 3 });
    // Not there (any more) is fine, and changes nothing.
    expect((await alias(user, "DELETE", "one")).body).toEqual({ ok: true, token: "one", rev: 3 });
    expect((await changes("?after_rev=1")).body).toMatchObject({
      rev: 3,
      changes: [
        { rev: 2, token: "two", deleted: false, alias: { token: "two", vendor: "acme" } },
        { rev: 3, token: "one", deleted: true },
      ],
    });
    expect((await changes("?after_rev=1")).body.changes[1]).not.toHaveProperty("alias");
    expect((await changes("?after_rev=3")).body).toEqual({ rev: 3, changes: [] });
    expect((await changes("?after_rev=-1")).body).toMatchObject({ param: "after_rev" });
    await alias(user, "PUT", "one", { vendor: "bolt" });
    expect((await changes("?after_rev=3")).body.changes).toMatchObject([
      { rev: 4, token: "one", deleted: false },
    ]);
  });

  it("[alias.rev] number parallel writes without a gap or a double", async () => {
    const user = await causeway.createUser();
    const tokens = Array.from({ length: 20 }, (_none, index) => `t${index}`);
    const answers = await Promise.all(
      tokens.map((token) => alias(user, "PUT", token, { vendor: "acme" })),
    );
    const revs = answers.map(({ body }) => body.rev as number).toSorted((a, b) => a - b);
    expect(revs).toEqual(tokens.map((_token, index) => index + 1));
  });

  it("are watched over a stream", async () => {
    const user = await causeway.createUser();
    const transport = createGrpcTransport({
      baseUrl: causeway.url,
      interceptors: [
        (next) => (request) => {
          request.header.set("authorization", `Bearer ${user.session}`);
          return next(request);
        },
      ],
    });
    const client = createClient(AliasService, transport);
    await alias(user, "PUT", "before", { vendor: "acme" });
    const ending = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { rev, changes } of client.watchAliases({}, { signal: ending.signal })) {
        seen.push(`${rev}: ${changes.map(({ token }) => token).join(" ")}`);
        if (rev === 1n) void alias(user, "PUT", "after", { vendor: "acme" });
        if (rev === 2n) ending.abort();
      }
    })();
    await expect(watching).rejects.toThrow(/abort/);
    expect(seen).toEqual(["1: before", "2: after"]);
  });

  it("[service.aliases] [model-id.alias] name the model of a call, their own before everybody's", async () => {
    const user = await causeway.createUser();
    const upstream = await startFakeUpstream(
      json({ object: "list", data: [{ id: "first" }, { id: "second" }] }),
    );
    const made = await causeway.call("POST", "/v1/upstreams", {
      token: user.session,
      body: {
        label: "Box",
        base_url: `${upstream.origin}/v1`,
        api_key: "k",
        dialect: "dialect_chat",
      },
    });
    expect(made.status).toBe(201);
    const probes = upstream.requests.length;
    const { secret } = await user.createKey();
    const ask = (model: string) =>
      causeway.call("POST", "/v1/chat/completions", {
        token: secret,
        body: { model, messages: [] },
      });
    await alias(user, "PUT", "acme", { vendor: "custom/box" });
    await alias(user, "PUT", "exact", { vendor: "custom/box", model_id: "second" });
    expect((await ask("@acme")).status).toBe(200);
    expect((await ask("@exact")).status).toBe(200);
    const models = upstream.requests
      .slice(probes)
      .map(({ body }) => JSON.parse(body.toString()).model as string);
    expect(models).toEqual(["first", "second"]);
    expect(await ask("@nobody")).toMatchObject({
      status: 400,
      body: { error: { param: "model", code: "invalid_request" } },
    });
    expect(await ask("@bolt")).toMatchObject({
      status: 403,
      body: { error: { code: "no_vendor_credential" } },
    });
  });

  it("[identity.account-aliases] belong to their account alone", async () => {
    const [one, two] = [await causeway.createUser(), await causeway.createUser()];
    await alias(one, "PUT", "mine", { vendor: "acme" });
    const { body } = await causeway.call("GET", "/v1/aliases", { token: two.session });
    expect(body.some(({ token }: { token: string }) => token === "mine")).toBe(false);
  });
});
