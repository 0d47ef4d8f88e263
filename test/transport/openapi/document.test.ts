import { validate } from "@scalar/openapi-validator";
import { beforeAll, describe, expect, test } from "vitest";
import type {
  OpenApiDocument,
  OpenApiOperation,
} from "../../../src/transport/openapi/document-types.ts";
import { loadContract, type Contract } from "../../contract/contract-files.ts";
import { pinnedOperations } from "../../contract/pinned-operations.ts";
import { unopenableIn } from "../../docs/unopenable.ts";
import { buildDocument } from "./build-document.ts";

let contract: Contract;
let document: OpenApiDocument;

beforeAll(async () => {
  contract = await loadContract();
  document = buildDocument(contract.services);
});

/** Every operation as `POST /v1/teams`. */
function operations(): [route: string, operation: OpenApiOperation][] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, OpenApiOperation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

function operation(id: string): OpenApiOperation {
  const found = operations().find(([, { operationId }]) => operationId === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found[1];
}

function parameterNames(id: string): string[] {
  return operation(id).parameters?.map(({ name }) => name) ?? [];
}

function bodyBytes(id: string): number | undefined {
  return operation(id).requestBody?.["x-max-body-bytes"];
}

describe("the document", () => {
  test("is valid OpenAPI 3.1, path parameters included", () => {
    const outcome = validate(JSON.stringify(document), { checkPathParameters: true });
    expect(outcome).toMatchObject({ valid: true, version: "3.1", errors: [] });
  });

  test("has a target for every reference", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    const dangling = references.filter(([, path = ""]) => {
      let target: unknown = document;
      for (const key of path.split("/")) target = Object(target)[key];
      return target === undefined;
    });
    expect(dangling).toEqual([]);
  });

  test("is the same each time", () => {
    expect(JSON.stringify(buildDocument(contract.services))).toBe(JSON.stringify(document));
  });

  test("has the pinned operation ids, routes and success statuses", () => {
    const handWritten = [
      ["createChatCompletion", "POST /v1/chat/completions", "", 200],
      ["createResponse", "POST /v1/responses", "", 200],
      ["compactResponse", "POST /v1/responses/compact", "", 200],
      ["createMessage", "POST /v1/messages", "", 200],
      ["createEmbedding", "POST /v1/embeddings", "", 200],
      ["getHealth", "GET /healthz", "", 200],
      ["getReadiness", "GET /readyz", "", 200],
      ["getMetrics", "GET /metrics", "", 200],
    ] as const;
    const expected = [...pinnedOperations, ...handWritten]
      .filter(([, route]) => route !== "")
      .map(([id, route, , status]) => `${id} ${route} ${status}`);
    const actual = operations().map(([route, { operationId, responses }]) => {
      return `${operationId} ${route} ${Object.keys(responses).find((it) => it.startsWith("2"))}`;
    });
    expect(actual.toSorted()).toEqual(expected.toSorted());
  });

  test("describes every operation and every property", () => {
    for (const [, { summary, description }] of operations()) {
      expect(summary).toMatch(/^\S.{5,}[^.]$/);
      expect(description).toMatch(/Needs (?:a|no|any|the) /);
    }
    const undescribed = Object.entries(document.components.schemas)
      .filter(([name]) => !name.endsWith("Error"))
      .flatMap(([name, { properties = {} }]) =>
        Object.keys(properties)
          .filter((property) => properties[property]?.description === undefined)
          .map((property) => `${name}.${property}`),
      );
    expect(undescribed).toEqual([]);
  });

  test("cites nothing that its readers cannot open", () => {
    expect(unopenableIn(JSON.stringify(document))).toEqual([]);
  });
});

describe("an operation", () => {
  test("takes the caller key in both headers and a session, with its scope", () => {
    const { security, description, ...rest } = operation("listTeams");
    expect(security).toEqual([
      { caller_key: ["teams:read"] },
      { caller_key_header: ["teams:read"] },
      { session: [] },
      { session_cookie: [] },
    ]);
    expect(rest["x-required-scope"]).toBe("teams:read");
    expect(description).toContain(
      "a caller key with the scope `teams:read` or a signed-in session",
    );
  });

  test("says when it needs no credential, any key, or the operator", () => {
    expect(operation("package_health").security).toEqual([]);
    expect(operation("listModels").security).toEqual([
      { caller_key: [] },
      { caller_key_header: [] },
    ]);
    expect(operation("createUser").security).toEqual([{ operator: [] }]);
  });

  test("limits its query parameters", () => {
    const limit = operation("listTeams").parameters?.find(({ name }) => name === "limit");
    expect(limit).toMatchObject({
      in: "query",
      schema: { type: "integer", minimum: 1, maximum: 100 },
    });
    expect(limit?.required).toBeUndefined();
  });

  test("takes an idempotency key where the contract says so", () => {
    expect(parameterNames("createTeam")).toContain("Idempotency-Key");
    expect(parameterNames("createKey")).not.toContain("Idempotency-Key");
  });

  test("says how large its body may be", () => {
    expect(bodyBytes("createTeam")).toBe(1_048_576);
    expect(bodyBytes("countMessageTokens")).toBe(33_554_432);
    expect(bodyBytes("createMessage")).toBe(33_554_432);
  });

  test("refuses in its own form, with the codes that it can give", () => {
    const { responses } = operation("removeTeamMember");
    expect(responses["409"]).toEqual({ $ref: "#/components/responses/flat.last_owner" });
    expect(operation("createMessage").responses["403"]).toEqual({
      $ref: "#/components/responses/relayed.messages.insufficient_scope.model_not_allowed.no_vendor_credential.no_custom_upstream",
    });
    const { responses: shared } = document.components;
    expect(shared["flat.rate_limited"]?.headers).toHaveProperty("retry-after");
    expect(shared["flat.last_owner"]?.description).toContain("without an owner");
  });

  test("answers 204 without a body", () => {
    expect(operation("deleteUpstream").responses["204"]).not.toHaveProperty("content");
  });

  test("answers with the bare array where REST does", () => {
    expect(operation("listAliases").responses["200"]).toMatchObject({
      content: {
        "application/json": {
          schema: { type: "array", items: { $ref: "#/components/schemas/Alias" } },
        },
      },
    });
  });

  test("of the model calls takes the control headers and answers events", () => {
    const { parameters, responses, requestBody } = operation("createChatCompletion");
    expect(parameters?.map(({ name }) => name)).toEqual([
      "x-svc-route",
      "x-svc-mode",
      "x-svc-session",
      "x-svc-tags",
      "x-svc-strict",
      "x-svc-engine",
    ]);
    expect(responses["200"]).toHaveProperty("content.text/event-stream");
    const { "200": embedded } = operation("createEmbedding").responses;
    expect(embedded).not.toHaveProperty("content.text/event-stream");
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["402", "499", "5XX"]));
    expect(requestBody?.content["application/json"]?.schema).toMatchObject({
      required: ["model"],
      additionalProperties: true,
    });
  });
});

describe("a schema", () => {
  test("of a request is strict, limited and writes secrets only", () => {
    const schema = document.components.schemas["CreateUpstreamRequest"];
    expect(schema).toMatchObject({
      required: ["label", "base_url", "api_key"],
      additionalProperties: false,
      properties: {
        label: { type: "string", minLength: 1, maxLength: 200 },
        api_key: { maxLength: 4096, writeOnly: true },
        headers: { type: "object", maxProperties: 20, additionalProperties: { type: "string" } },
        models: { type: "array", maxItems: 1000, items: { type: "string", maxLength: 300 } },
      },
    });
  });

  test("of a merge patch has no mask and no path field, and allows null where it clears", () => {
    const { properties } = document.components.schemas["UpdateKeyRequest"] ?? {};
    expect(properties).not.toHaveProperty("update_mask");
    expect(properties).not.toHaveProperty("id");
    expect(properties?.["expires_at"]).toMatchObject({
      type: ["string", "null"],
      format: "date-time",
    });
    expect(properties?.["budget"]).toMatchObject({
      type: ["object", "null"],
      properties: { limit_usd: { type: "number" }, window: {} },
    });
    expect(properties?.["budget"]).not.toHaveProperty("required");
    expect(document.components.schemas["KeyBudgetLimitInput"]?.required).toHaveLength(2);
  });

  test("of a request with a choice of members demands one of them", () => {
    expect(document.components.schemas["LinkVendorRequest"]).toMatchObject({
      oneOf: [{ required: ["api_key"] }, { required: ["login"] }],
    });
  });

  test("of an answer names what is always there, constants and nulls", () => {
    const { properties, required } = document.components.schemas["Key"] ?? {};
    expect(properties?.["object"]).toMatchObject({ type: "string", const: "key" });
    expect(properties?.["revoked_at"]).toMatchObject({ type: ["string", "null"] });
    expect(required).toEqual(expect.arrayContaining(["id", "object", "scopes", "revoked_at"]));
    expect(required).not.toContain("team_id");
  });

  test("of an enum has the REST spelling", () => {
    expect(document.components.schemas["TeamRole"]).toMatchObject({
      type: "string",
      enum: ["owner", "admin", "editor", "member"],
    });
    expect(document.components.schemas["AliasCustody"]?.enum).toEqual(["envelope", "device-held"]);
  });
});
