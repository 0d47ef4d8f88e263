/** What a document says of the traffic that it was learned from. */
import { validate } from "@scalar/openapi-validator";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryExchange } from "../arbitrary-exchange.ts";
import { harOf } from "../har.ts";
import { documentOf, documentText, learnAll, type LearnedDocument } from "../learned-document.ts";

const url = "https://one.test/v1/orders";

/** The document of one exchange whose request or answer is something else than JSON. */
function documentOfParts(request: object, response: object): LearnedDocument {
  const har = harOf([{ url, method: "POST" }]);
  Object.assign(har.log.entries[0]?.request ?? {}, request);
  Object.assign(har.log.entries[0]?.response ?? {}, response);
  const node = learnAll([new TextEncoder().encode(JSON.stringify(har))]);
  return JSON.parse(documentText(node)) as LearnedDocument;
}

describe("a document", () => {
  it("[document.openapi] [learned.openapi] is valid OpenAPI 3.1", () => {
    fc.assert(
      fc.property(fc.array(arbitraryExchange, { maxLength: 20 }), (exchanges) => {
        const document = documentOf(exchanges);
        expect(document).toMatchObject({ openapi: "3.1.0" });
        expect(validate(document)).toMatchObject({ valid: true });
        const ids = Object.values(document.paths).flatMap((item) =>
          Object.values(item as Record<string, { operationId: string }>).map(
            ({ operationId }) => operationId,
          ),
        );
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 10 },
    );
  });

  it("has what was sent and answered, by status", () => {
    const document = documentOf([
      { url: `${url}?limit=10&dry=true`, method: "POST", status: 201, requestBody: { total: 1.5 } },
      { url: `${url}?limit=3`, method: "POST", status: 422, responseBody: { error: "x" } },
    ]);
    const { post } = document.paths["/v1/orders"];
    expect(post).toEqual({
      operationId: "post_v1_orders",
      parameters: [
        { name: "dry", in: "query", required: false, schema: { type: "boolean" } },
        { name: "limit", in: "query", required: true, schema: { type: "integer" } },
      ],
      requestBody: {
        required: false,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: { total: { type: "number" } },
              required: ["total"],
            },
          },
        },
      },
      responses: {
        201: { description: "Status 201" },
        422: {
          description: "Status 422",
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { error: { type: "string" } },
                required: ["error"],
              },
            },
          },
        },
      },
    });
  });

  it("unites types, and requires what every object had", () => {
    const document = documentOf([
      {
        url,
        responseBody: [
          { id: 1, note: null },
          { id: 1.5, extra: true },
        ],
      },
      { url, responseBody: [{ id: 2, note: "x" }] },
    ]);
    const { schema } = document.paths["/v1/orders"].get.responses[200].content["application/json"];
    expect(schema.items).toEqual({
      type: "object",
      properties: {
        extra: { type: "boolean" },
        id: { type: "number" },
        note: { type: ["string", "null"] },
      },
      required: ["id"],
    });
  });

  it("[learned.origin] is of the origin of the base address, or of the most frequent one", () => {
    const exchanges = [
      { url: "https://two.test/a/1" },
      { url: "https://one.test/b" },
      { url: "https://two.test/a/2" },
      { url: "https://two.test/a/1" },
    ];
    expect(documentOf(exchanges).servers).toEqual([{ url: "https://two.test" }]);
    expect(documentOf(exchanges.slice(0, 2)).servers).toEqual([{ url: "https://one.test" }]);
    const based = documentOf(exchanges, "https://one.test/v1/");
    expect(based.servers).toEqual([{ url: "https://one.test" }]);
    expect(based["x-path-templates"]).toEqual(["/b"]);
    expect(documentOf(exchanges, "https://three.test")["x-path-templates"]).toEqual([]);
  });

  it("[learned.bodies] learns JSON and forms by their media type, and of others the type only", () => {
    const form = "application/x-www-form-urlencoded";
    const posted = documentOfParts(
      { postData: { mimeType: form, text: "amount=3&tag=a&tag=b" } },
      { content: { mimeType: "text/html; charset=utf-8", text: '{"no": "json"}' } },
    ).paths["/v1/orders"].post;
    expect(posted.requestBody.content[form].schema).toEqual({
      type: "object",
      properties: {
        amount: { type: "integer" },
        tag: { type: "array", items: { type: "string" } },
      },
      required: ["amount", "tag"],
    });
    expect(posted.responses[200].content).toEqual({ "text/html": {} });
    const boundary = "----b";
    const part = (name: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`;
    const uploaded = documentOfParts(
      {
        postData: {
          mimeType: `multipart/form-data; boundary=${boundary}`,
          text: `${part("title")}${part("file")}--${boundary}--`,
        },
      },
      { content: { mimeType: "application/problem+json", text: '{"detail":"x"}' } },
    ).paths["/v1/orders"].post;
    const { schema } = uploaded.requestBody.content["multipart/form-data"];
    expect(Object.keys(schema.properties)).toEqual(["file", "title"]);
    expect(uploaded.responses[200].content["application/problem+json"].schema.required).toEqual([
      "detail",
    ]);
  });

  it("keeps nothing of a form that is none, and of JSON that is broken", () => {
    const { post } = documentOfParts(
      { postData: { mimeType: "application/x-www-form-urlencoded", text: "marigold" } },
      { content: { mimeType: "application/json", text: '{"marigold": ' } },
    ).paths["/v1/orders"];
    expect(post.requestBody.content).toEqual({ "application/x-www-form-urlencoded": {} });
    expect(post.responses[200].content).toEqual({ "application/json": {} });
  });

  it("[learned.replay] [learned.headers] says how requests are made again", () => {
    const requestHeaders = {
      Authorization: "Bearer x",
      "X-Tenant": "t",
      "X-Signature": "s",
      Date: "today",
      Cookie: "a=b",
      Host: "one.test",
      "Content-Length": "3",
      "User-Agent": "u",
      "Sec-Fetch-Mode": "cors",
    };
    const replay = documentOf([
      { url: `${url}?api_key=k`, requestHeaders, at: "2026-11-20T23:30:00-02:00" },
      { url, method: "POST", requestHeaders: { authorization: "Basic y" } },
    ])["x-svc-replay"];
    const rule = (name: string, source: string, required = false, place = "header") => {
      return { name, in: place, required, source };
    };
    expect(replay).toEqual({
      version: 1,
      header_rules: [
        rule("api_key", "credential", false, "query"),
        rule("authorization", "credential", true),
        rule("cookie", "credential"),
        rule("date", "computed"),
        rule("x-signature", "computed"),
        rule("x-tenant", "caller"),
      ],
      idempotent_methods: ["GET"],
      provenance: {
        captures: 1,
        observations: 2,
        first_seen: "2026-11-20",
        last_seen: "2026-11-21",
        truncated: 0,
      },
    });
  });

  it("passes over what is no request of the web, or had no answer", () => {
    const document = documentOf([
      { url: "data:text/plain,x" },
      { url: "not an address" },
      { url: "wss://one.test/socket" },
      { url, status: 0 },
      { url, method: "CONNECT" },
    ]);
    expect(document.paths).toEqual({});
    expect(document["x-svc-replay"].provenance.observations).toBe(0);
  });
});
