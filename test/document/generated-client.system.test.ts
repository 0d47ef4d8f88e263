/** A client that a generator makes of a learned document calls the service that it was learned of. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { generateSource } from "oazapfts";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { repository } from "../support/causeway-process.ts";
import { sendJson, startLoopbackServer } from "../support/loopback-server.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";
import { harOf, type Exchange } from "./har.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

interface Order {
  readonly id: number;
  readonly note: string | null;
}

/** A shop whose orders are read, made, changed and deleted. */
function shop(): (request: IncomingMessage, response: ServerResponse) => void {
  const orders = new Map<number, Order>([17, 18, 19].map((id) => [id, { id, note: null }]));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://shop.test");
    const id = Number(pathname.split("/")[3] ?? orders.size + 100);
    switch (request.method) {
      case "POST":
      case "PUT":
        orders.set(id, { id, ...((await json(request)) as { note: string }) });
        return sendJson(response, request.method === "POST" ? 201 : 200, orders.get(id));
      case "DELETE":
        orders.delete(id);
        return void response.writeHead(204).end();
      default:
        break;
    }
    if (pathname === "/v1/orders") {
      const limit = Number(searchParams.get("limit") ?? 10);
      return sendJson(response, 200, { orders: [...orders.values()].slice(0, limit) });
    }
    const order = orders.get(id);
    return order === undefined
      ? sendJson(response, 404, { error: "not_found" })
      : sendJson(response, 200, order);
  };
  return (request, response) => void answer(request, response);
}

/** Does a request, and notes it as a capture would. */
async function recorded(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Exchange> {
  const url = `${origin}${path}`;
  const request = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const answer = await fetch(url, request);
  const text = await answer.text();
  return {
    method,
    url,
    status: answer.status,
    requestBody: body,
    responseBody: text === "" ? undefined : JSON.parse(text),
  };
}

/** The document of what this traffic teaches, as anybody reads it. */
async function publishedDocument(origin: string, traffic: readonly Exchange[]): Promise<unknown> {
  const token = causeway.adminToken;
  const path = "/v1/admin/services/shop";
  await causeway.call("POST", `${path}/traffic`, { token, body: harOf(traffic) });
  await causeway.call("POST", `${path}/ship`, {
    token,
    body: { title: "Shop", base_url: `${origin}/v1` },
  });
  const { status, body } = await causeway.call("GET", "/docs/services/shop.json");
  expect(status).toBe(200);
  return body;
}

type Call = (...values: unknown[]) => Promise<{ status: number; data: unknown }>;

/** The module that the generator makes; the folder is one from where its runtime is found. */
async function generatedClient(
  document: unknown,
): Promise<{ source: string; calls: Record<string, Call> }> {
  const folder = await mkdtemp(join(repository, "node_modules/.causeway-client-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "document.json");
  await writeFile(file, JSON.stringify(document));
  const source = await generateSource(file);
  const module = join(folder, "client.mjs");
  await writeFile(module, stripTypeScriptTypes(source));
  const calls = (await import(pathToFileURL(module).href)) as Record<string, Call>;
  return { source, calls };
}

it("loads in a client generator, and the client calls the service", async () => {
  const { origin } = await startLoopbackServer(shop());
  const traffic = [
    await recorded(origin, "GET", "/v1/orders?limit=2"),
    await recorded(origin, "GET", "/v1/orders"),
    await recorded(origin, "GET", "/v1/orders/17"),
    await recorded(origin, "GET", "/v1/orders/99"),
    await recorded(origin, "POST", "/v1/orders", { note: "fragile" }),
    await recorded(origin, "PUT", "/v1/orders/18", { note: "heavy" }),
    await recorded(origin, "DELETE", "/v1/orders/19"),
  ];
  const { source, calls } = await generatedClient(await publishedDocument(origin, traffic));
  expect(source).toMatch(/Order\w*\(orderId: number, body: \{\s*note: string;\s*\}/);
  const call = (name: string, ...values: unknown[]) => calls[name]?.(...values);
  expect(await call("getV1Orders", { limit: 1 })).toMatchObject({
    status: 200,
    data: { orders: [{ id: 17, note: null }] },
  });
  expect(await call("putV1OrdersOrderId", 17, { note: "changed" })).toMatchObject({ status: 200 });
  expect(await call("getV1OrdersOrderId", 17)).toMatchObject({ data: { id: 17, note: "changed" } });
  expect(await call("postV1Orders", { note: "new" })).toMatchObject({ data: { note: "new" } });
  expect(await call("deleteV1OrdersOrderId", 17)).toMatchObject({ status: 204 });
  expect(await call("getV1OrdersOrderId", 17)).toMatchObject({ status: 404 });
});
