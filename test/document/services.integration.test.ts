/** Documents of services from outside: learned, shipped, read, forgotten. */
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DocumentService } from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { selectRows } from "../support/select-rows.ts";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";
import { waitUntil } from "../support/wait-until.ts";
import { harOf, type Exchange } from "./har.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const shop: Exchange[] = [
  { url: "https://shop.test/v1/orders/17", responseBody: { id: 17, note: "fragile" } },
  { url: "https://shop.test/v1/orders?limit=2", responseBody: { orders: [{ id: 17 }] } },
];

const shipment = { title: "Shop", base_url: "https://shop.test/v1" };

function asOperator(method: string, path: string, body?: unknown): Promise<RestAnswer> {
  return causeway.call(method, path, { token: causeway.adminToken, body });
}

function learn(id: string, exchanges: readonly Exchange[] = shop): Promise<RestAnswer> {
  return asOperator("POST", `/v1/admin/services/${id}/traffic`, harOf(exchanges));
}

function ship(id: string): Promise<RestAnswer> {
  return asOperator("POST", `/v1/admin/services/${id}/ship`, shipment);
}

function read(id: string, headers: Record<string, string> = {}): Promise<RestAnswer> {
  return causeway.call("GET", `/docs/services/${id}.json`, { headers });
}

describe("a service", () => {
  it("[learned.listed] is learned with POST …/traffic and shown without its document", async () => {
    const learned = await learn("learned");
    expect(learned).toMatchObject({ status: 200 });
    expect(learned.body).toEqual({
      id: "learned",
      object: "service",
      service_id: "learned",
      shipped: false,
      title: null,
      base_url: null,
      captures: 1,
      observations: 2,
      first_seen: "2026-11-20T00:00:00.000Z",
      last_seen: "2026-11-20T00:00:00.000Z",
      templates_count: 2,
      updated_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
  });

  it("[service.documents] [document.not-found] is published with POST …/ship and taken back with POST …/unship", async () => {
    await learn("shipped");
    expect(await read("shipped")).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await ship("shipped")).toMatchObject({
      status: 200,
      body: { ...shipment, shipped: true },
    });
    const document = await read("shipped");
    expect(document).toMatchObject({
      status: 200,
      body: {
        openapi: "3.1.0",
        info: { title: "Shop" },
        servers: [{ url: "https://shop.test" }],
        "x-path-templates": ["/v1/orders", "/v1/orders/{order_id}"],
      },
    });
    const unshipped = await asOperator("POST", "/v1/admin/services/shipped/unship");
    expect(unshipped).toMatchObject({ status: 200, body: { ...shipment, shipped: false } });
    const [unknown, gone] = [await read("unknown"), await read("shipped")];
    expect(gone.status).toBe(404);
    expect({ ...gone.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
    const { body } = await asOperator("GET", "/v1/admin/services/shipped");
    expect(body).toMatchObject({ shipped: false, title: "Shop", document: document.body });
  });

  it("[learned.shipped] stays published as it was shipped until the next time", async () => {
    await learn("steady");
    await ship("steady");
    const before = await read("steady");
    await learn("steady", [{ url: "https://shop.test/v1/customers" }]);
    expect((await read("steady")).body).toEqual(before.body);
    const { body } = await asOperator("GET", "/v1/admin/services/steady");
    expect(body.document["x-path-templates"]).toContain("/v1/customers");
    await ship("steady");
    expect((await read("steady")).body).toEqual(body.document);
  });

  it("[learned.openapi] answers If-None-Match with 304 while its strong ETag is the same", async () => {
    await learn("tagged");
    await ship("tagged");
    const first = await read("tagged");
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(await read("tagged", { "if-none-match": tag })).toMatchObject({ status: 304, body: "" });
    expect((await read("tagged", { "if-none-match": '"other"' })).status).toBe(200);
    await learn("tagged");
    await ship("tagged");
    expect((await read("tagged", { "if-none-match": tag })).status).toBe(200);
  });

  it("is no longer published once another process has taken it back", async () => {
    await learn("elsewhere");
    await ship("elsewhere");
    expect((await read("elsewhere")).status).toBe(200);
    await selectRows(
      causeway.connectionString,
      "update learned_services set shipped = false, published = null where id = 'elsewhere'",
    );
    await waitUntil(async () => (await read("elsewhere")).status === 404);
  });

  it("is rendered at /docs/services/<id> while it is shipped", async () => {
    await learn("rendered");
    for (const id of ["rendered", "%00", "a%00b", "__proto__", "Rendered"]) {
      expect((await causeway.call("GET", `/docs/services/${id}`)).status).toBe(404);
    }
    await ship("rendered");
    const page = await causeway.call("GET", "/docs/services/rendered");
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(page.body).toContain('"rendered.json"');
    const [, script = ""] = /src="([^"]+scalar\.js)"/.exec(String(page.body)) ?? [];
    const address = new URL(script, `${causeway.url}/docs/services/rendered`);
    expect((await causeway.call("GET", address.href)).status).toBe(200);
  });

  it("[learned.listed] is forgotten with DELETE, and may be learned anew", async () => {
    await learn("forgotten");
    await ship("forgotten");
    const answer = await asOperator("DELETE", "/v1/admin/services/forgotten");
    expect(answer.body).toEqual({ id: "forgotten", object: "service", deleted: true });
    expect((await read("forgotten")).status).toBe(404);
    expect((await asOperator("GET", "/v1/admin/services/forgotten")).status).toBe(404);
    expect((await asOperator("POST", "/v1/admin/services/forgotten/unship")).status).toBe(404);
    const [row] = await selectRows(
      causeway.connectionString,
      "select state, published, title from learned_services where id = 'forgotten'",
    );
    expect(row).toEqual({ state: null, published: null, title: null });
    expect((await learn("forgotten")).body).toMatchObject({ captures: 1, title: null });
  });

  it("[learned.listed] stands in the list by its id, and after DELETE as a cursor", async () => {
    for (const id of ["list-a", "list-b", "list-c"]) await learn(id);
    await asOperator("DELETE", "/v1/admin/services/list-b");
    const { body } = await asOperator("GET", "/v1/admin/services?after_id=list-b&limit=1");
    expect(body).toMatchObject({ object: "list", data: [{ id: "list-c", object: "service" }] });
    const unknown = await asOperator("GET", "/v1/admin/services?after_id=list-x");
    expect(unknown).toMatchObject({ status: 400, body: { param: "after_id" } });
  });

  it("leaves its changes in the operator's audit log", async () => {
    await learn("audited");
    await ship("audited");
    await asOperator("POST", "/v1/admin/services/audited/unship");
    await asOperator("DELETE", "/v1/admin/services/audited");
    const rows = await selectRows(
      causeway.connectionString,
      "select type, actor_kind from audit_events where target = 'audited' order by at, id",
    );
    const types = ["service.learned", "service.shipped", "service.unshipped", "service.deleted"];
    expect(rows).toEqual(types.map((type) => ({ type, actor_kind: "operator" })));
  });

  it("is learned over Connect from bytes and from an object", async () => {
    const client = createClient(
      DocumentService,
      createConnectTransport({
        baseUrl: causeway.url,
        httpVersion: "1.1",
        interceptors: [
          (next) => (request) => {
            request.header.set("authorization", `Bearer ${causeway.adminToken}`);
            return next(request);
          },
        ],
      }),
    );
    const har = harOf(shop);
    const data = new TextEncoder().encode(JSON.stringify(har));
    await client.learnService({ serviceId: "connect", capture: { data } });
    const learned = await client.learnService({ serviceId: "connect", har });
    expect(learned).toMatchObject({ captures: 2n, observations: 2n });
    await expect(client.learnService({ serviceId: "connect" })).rejects.toThrow(/`har`/);
  });
});

describe("captures", () => {
  it.each([
    ["no JSON", "{", "log"],
    ["not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "log"],
    ["no object", "[]", "log"],
    ["without a log", "{}", "log"],
    ["without entries", '{"log":{}}', "log.entries"],
    ["with an entry that is none", '{"log":{"entries":[3]}}', "log.entries[0]"],
    ["without a request", '{"log":{"entries":[{"response":{}}]}}', "log.entries[0].request"],
    ["nested too deep", `{"log":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, "log"],
  ])("[learned.refused] %s is 400 and names what is wrong", async (_name, body, param) => {
    const answer = await fetch(`${causeway.url}/v1/admin/services/broken/traffic`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${causeway.adminToken}`,
        "content-type": "application/json",
      },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_request", param });
    expect((await asOperator("GET", "/v1/admin/services/broken")).status).toBe(404);
  });

  it("[learned.refused] broken in the middle leave what was learned as it was", async () => {
    await learn("half");
    const before = await asOperator("GET", "/v1/admin/services/half");
    const broken = harOf([{ url: "https://shop.test/v1/new" }, { url: "https://shop.test/v1/x" }]);
    Object.assign(broken.log.entries[1]?.response ?? {}, { status: "200" });
    const answer = await asOperator("POST", "/v1/admin/services/half/traffic", broken);
    expect(answer.body.param).toBe("log.entries[1].response.status");
    expect((await asOperator("GET", "/v1/admin/services/half")).body).toEqual(before.body);
  });

  it("[learned.bounded] with a hundred thousand properties have most of them counted and left out", async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `field${wordOf(at)}`);
    const responseBody = Object.fromEntries(names.map((name) => [name, 1]));
    const [url, learned] = ["https://shop.test/v1/wide", "wide"];
    expect(await learn(learned, [{ url, responseBody }])).toMatchObject({ status: 200 });
    await ship(learned);
    const { status, body } = await read(learned);
    expect(status).toBe(200);
    expect(JSON.stringify(body).length).toBeLessThan(1 << 20);
    const { provenance } = (body as { "x-svc-replay": { provenance: { truncated: number } } })[
      "x-svc-replay"
    ];
    expect(provenance.truncated).toBeGreaterThan(50_000);
  });

  it("[learned.bounded] that say the same over and over are learned once", async () => {
    const responseBody = { rows: Array.from({ length: 200_000 }, () => ({ id: 1, on: true })) };
    const [url, learned] = ["https://shop.test/v1/rows", "repetitive"];
    expect(await learn(learned, [{ url, responseBody }])).toMatchObject({ status: 200 });
    await ship(learned);
    const { body } = await read(learned);
    const text = JSON.stringify(body);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('"on":{"type":"boolean"}');
  });

  it("[traffic.parts] of one service at the same time are all learned", async () => {
    const parts = ["customers", "invoices", "payments", "refunds"];
    await Promise.all(
      parts.map((part) => learn("parallel", [{ url: `https://shop.test/v1/${part}` }])),
    );
    const { body } = await asOperator("GET", "/v1/admin/services/parallel");
    expect(body).toMatchObject({ captures: 4, observations: 4, templates_count: 4 });
  });

  it.each(["Shop", "-shop", "a".repeat(64), "shop.json", "a/b", "..a", "sh op"])(
    "[learned.ids] of a service called %s are refused",
    async (id) => {
      const answer = await learn(encodeURIComponent(id));
      expect(answer).toMatchObject({ status: 400, body: { param: "service_id" } });
    },
  );
});

/** Letters alone: digits would make a name a value. */
function wordOf(number: number): string {
  return number.toString(26).replaceAll(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
}
