import { fastify } from "fastify";
import { describe, expect, test } from "vitest";
import { registerOpenApiRoute } from "../../../src/transport/openapi/openapi-route.ts";
import { buildDocument } from "./build-document.ts";

describe("GET /openapi.json", () => {
  test("builds the document when it is first asked for, and once", async () => {
    let built = 0;
    const app = fastify();
    registerOpenApiRoute(app, () => {
      built += 1;
      return buildDocument([]);
    });
    expect(built).toBe(0);
    const first = await app.inject("/openapi.json");
    await app.inject("/openapi.json");
    expect(built).toBe(1);
    expect(first.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(first.json()).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/" }] });
  });

  test("has a strong entity tag and honours If-None-Match", async () => {
    const app = fastify();
    registerOpenApiRoute(app, () => buildDocument([]));
    const { headers } = await app.inject("/openapi.json");
    const tag = String(headers.etag);
    expect(tag).toMatch(/^"[\w-]+"$/);
    for (const held of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const again = await app.inject({ url: "/openapi.json", headers: { "if-none-match": held } });
      expect(again.statusCode).toBe(304);
      expect(again.payload).toBe("");
      expect(again.headers.etag).toBe(tag);
    }
    const other = await app.inject({ url: "/openapi.json", headers: { "if-none-match": '"x"' } });
    expect(other.statusCode).toBe(200);
  });
});
