import { fastify, type FastifyInstance } from "fastify";
import { beforeAll, describe, expect, test } from "vitest";
import { dialectErrorCatalog, errorCatalog, type ErrorCode } from "../../../src/platform/errors.ts";
import { registerDocsRoutes } from "../../../src/transport/docs/docs-routes.ts";
import { errorDocUrl } from "../../../src/transport/docs/errors-page.ts";

let app: FastifyInstance;

beforeAll(() => {
  app = fastify();
  registerDocsRoutes(app, { title: "Causeway <gateway>" });
});

describe("GET /docs", () => {
  test("[published.docs] renders the document of the same port with a script of the same port", async () => {
    const { statusCode, headers, payload } = await app.inject("/docs");
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(payload).toContain("<title>Causeway &lt;gateway&gt;</title>");
    expect(payload).toContain('"url": "openapi.json"');
    expect(payload).toContain('src="docs/js/scalar.js"');
    expect(payload).toContain('<html lang="en">');
    expect(payload).toContain('<link rel="icon" href="data:,">');
  });

  test("names no other host and allows none", async () => {
    const { headers, payload } = await app.inject("/docs");
    expect(payload).not.toMatch(/https?:\/\/|src="\/\//);
    expect(payload).toContain('"telemetry": false');
    expect(payload).toContain('"withDefaultFonts": false');
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  });

  test("allows each of its inline scripts by hash", async () => {
    const { headers, payload } = await app.inject("/docs");
    const inline = payload.match(/<script type="text\/javascript">/g) ?? [];
    const hashes = String(headers["content-security-policy"]).match(/'sha256-[\w+/=]+'/g) ?? [];
    expect(inline).toHaveLength(1);
    expect(hashes).toHaveLength(1);
  });

  test("with a slash at its end leads to the page", async () => {
    const { statusCode, headers } = await app.inject("/docs/");
    expect(statusCode).toBe(308);
    expect(new URL(String(headers.location), "http://a/docs/").pathname).toBe("/docs");
  });

  test("serves the script of the package, once per version of it", async () => {
    const first = await app.inject("/docs/js/scalar.js");
    expect(first.statusCode).toBe(200);
    expect(first.headers["content-type"]).toContain("javascript");
    expect(first.payload).toContain("createApiReference");
    const again = await app.inject({
      url: "/docs/js/scalar.js",
      headers: { "if-none-match": String(first.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
    expect(again.payload).toBe("");
  });
});

describe("GET /docs/errors", () => {
  test("explains every code of the catalogue at its anchor", async () => {
    const { statusCode, headers, payload } = await app.inject("/docs/errors");
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const anchors = [...payload.matchAll(/<section id="([^"]+)">/g)].map(([, id]) => id);
    expect(anchors).toEqual([...Object.keys(errorCatalog), ...Object.keys(dialectErrorCatalog)]);
    for (const { status } of Object.values(errorCatalog)) {
      expect(payload).toContain(`<small>${status}</small>`);
    }
  });

  test("is where doc_url points", () => {
    const code: ErrorCode = "rate_limited";
    expect(errorDocUrl("http://127.0.0.1:8080", code)).toBe(
      "http://127.0.0.1:8080/docs/errors#rate_limited",
    );
    expect(errorDocUrl("https://x.example/base/", code)).toBe(
      "https://x.example/base/docs/errors#rate_limited",
    );
  });

  test("runs no script and loads nothing", async () => {
    const { headers, payload } = await app.inject("/docs/errors");
    expect(payload).not.toMatch(/<script|<link(?! rel="icon" href="data:,")|<img|https?:\/\//);
    expect(headers["content-security-policy"]).toContain("script-src 'self';");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-frame-options"]).toBe("DENY");
  });
});
