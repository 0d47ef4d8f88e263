/** What each port publishes of itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validate } from "@scalar/openapi-validator";
import { startTestInstance, type RestAnswer, type TestInstance } from "../support/test-instance.ts";
import { errorCatalog } from "../../src/platform/errors.ts";
import { gatewayServiceDescriptors } from "../../src/contract/services.ts";
import { operationId } from "./contract-files.ts";

const chat = "/v1/chat/completions";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

describe.each(["gateway", "tools"] as const)("the %s port", (name) => {
  it("[start.health] answers /healthz, /readyz and /metrics without a credential", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect(await get(name, path)).toMatchObject({ status: 200 });
    }
    const { body, headers } = await get(name, "/metrics");
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(body).toMatch(/^# HELP /m);
  });

  it("[published.openapi] publishes valid OpenAPI 3.1", async () => {
    const { body } = await get(name, "/openapi.json");
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(validate(body).valid).toBe(true);
  });

  it("[published.errors] [published.docs] renders it under /docs, and explains every error code under /docs/errors", async () => {
    expect((await get(name, "/docs")).headers.get("content-type")).toMatch(/^text\/html/);
    const { body } = await get(name, "/docs/errors");
    for (const code of Object.keys(errorCatalog)) expect(body).toContain(`id="${code}"`);
  });

  it("answers a condition with 304", async () => {
    const { headers } = await get(name, "/openapi.json");
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"/);
    const again = await get(name, "/openapi.json", { "if-none-match": etag });
    expect([again.status, again.body]).toEqual([304, ""]);
  });
});

describe("the document of the gateway", () => {
  it("[published.openapi] [operations.hand-written] holds every operation that is mounted, under its operation id", async () => {
    const { body } = await get("gateway", "/openapi.json");
    const ids = new Set(operationsOf(body).map((operation) => operation.operationId));
    const mounted = gatewayServiceDescriptors
      .flatMap(({ methods }) => methods)
      // A stream is for Connect and gRPC only.
      .filter(({ methodKind }) => methodKind === "unary")
      .map(operationId);
    const handWritten = [
      "createChatCompletion",
      "createResponse",
      "compactResponse",
      "createMessage",
      "createEmbedding",
      "getResponse",
      "cancelResponse",
      "deleteResponse",
      "listResponseInputItems",
      "countResponseInputTokens",
    ];
    for (const id of [...mounted, ...handWritten]) expect(ids).toContain(id);
  });

  it("promises no value of a control header that model calls are refused for", async () => {
    const { secret: token } = await (await causeway.createUser()).createKey();
    const { body: document } = await get("gateway", "/openapi.json");
    const { parameters = [] } = document.paths[chat].post as Operation;
    const promised = parameters.flatMap(({ name, schema }) =>
      (schema.enum ?? []).map((value) => [name, value] as const),
    );
    expect(promised.length).toBeGreaterThan(0);
    for (const [name, value] of promised) {
      const model = name === "x-svc-engine" ? "agent" : "served-by-nobody";
      const body = { model, messages: [] };
      const answer = await causeway.call("POST", chat, { token, body, headers: { [name]: value } });
      expect([name, value, answer.body.error.param]).not.toEqual([name, value, name]);
    }
  });

  it("tells how an answer in the background is asked for, and its stream resumed", async () => {
    const { body: document } = await get("gateway", "/openapi.json");
    const { requestBody } = document.paths["/v1/responses"].post;
    const { properties } = requestBody.content["application/json"].schema;
    expect(properties.background).toMatchObject({ type: "boolean" });
    const { parameters, responses } = document.paths["/v1/responses/{id}"].get;
    expect(parameters).toMatchObject([
      { name: "id", in: "path" },
      { name: "stream", in: "query", schema: { type: "boolean" } },
      { name: "starting_after", in: "query", schema: { type: "integer", minimum: 0 } },
    ]);
    expect(Object.keys(responses["200"].content)).toEqual([
      "application/json",
      "text/event-stream",
    ]);
  });

  it("tells how the agent is asked, where it answers, and not where it does not", async () => {
    const { body: document } = await get("gateway", "/openapi.json");
    for (const path of [chat, "/v1/responses", "/v1/messages"]) {
      const { parameters, responses } = document.paths[path].post as Operation;
      expect(parameters?.map(({ name }) => name)).toContain("x-svc-engine");
      expect(responses?.["200"]?.headers).toHaveProperty("x-svc-turn");
    }
    for (const path of ["/v1/embeddings", "/v1/responses/compact"]) {
      expect(JSON.stringify(document.paths[path])).not.toMatch(/\bagent\b/);
    }
  });
});

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: { readonly enum?: readonly string[] };
  }[];
  readonly responses?: Readonly<Record<string, { readonly headers?: object }>>;
}

function operationsOf(document: { paths: Record<string, Record<string, Operation>> }): Operation[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path));
}

function get(
  name: "gateway" | "tools",
  path: string,
  headers: Record<string, string> = {},
): Promise<RestAnswer> {
  const url = name === "gateway" ? causeway.url : causeway.toolsUrl;
  return causeway.call("GET", `${url}${path}`, { headers });
}
