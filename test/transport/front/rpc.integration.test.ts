import { createClient, type ConnectRouter, type Transport } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { AliasService } from "../../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { startFront } from "./start-front.ts";

function aliasRoutes(router: ConnectRouter): void {
  router.service(AliasService, {
    deleteAlias: ({ token }) => ({ ok: true, token, rev: 7n }),
    async *watchAliases() {
      yield { rev: 1n };
      yield { rev: 2n };
    },
  });
}

function mountAliases(app: FastifyInstance): void {
  void app.register(fastifyConnectPlugin, { routes: aliasRoutes });
  app.get("/events", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream" });
    reply.raw.end("data: 1\n\ndata: 2\n\n");
  });
}

const transports: readonly (readonly [name: string, open: (baseUrl: string) => Transport])[] = [
  ["Connect over HTTP/1.1", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ["Connect over HTTP/2", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC-web over HTTP/1.1", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ["gRPC-web over HTTP/2", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
];

describe("one port serves", () => {
  test.each(transports)("[start.one-port] %s: calls and streams", async (_name, open) => {
    const { url } = await startFront(mountAliases);
    const client = createClient(AliasService, open(url));
    expect(await client.deleteAlias({ token: "fast" })).toMatchObject({ token: "fast", rev: 7n });
    const revisions: bigint[] = [];
    for await (const { rev } of client.watchAliases({})) revisions.push(rev);
    expect(revisions).toEqual([1n, 2n]);
  });

  test("[start.one-port] server-sent events beside them", async () => {
    const { url } = await startFront(mountAliases);
    const response = await fetch(`${url}/events`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe("data: 1\n\ndata: 2\n\n");
  });
});
