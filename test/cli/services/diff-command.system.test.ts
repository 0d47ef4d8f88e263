import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCauseway, type Outcome } from "../../support/causeway-process.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { harOf, type Exchange } from "../../document/har.ts";

vi.setConfig({ testTimeout: 60_000 });

let causeway: TestInstance;
let folder: string;

const origin = "https://api.example.com";

/** Two users with a note that may be null, a list of them, one that is made, one that is not there. */
const traffic: readonly Exchange[] = [
  { url: `${origin}/v1/users/17?expand=all`, responseBody: { id: 17, name: "x", note: null } },
  { url: `${origin}/v1/users/18`, responseBody: { id: 18, name: "x", note: "y", tags: ["a"] } },
  { url: `${origin}/v1/users/19`, status: 404, responseBody: { error: "x" } },
  { url: `${origin}/v1/users`, responseBody: { data: [{ id: 17 }] } },
];

/** The same, as somebody would write it. */
const written = `
openapi: 3.0.3
info: { title: Users, version: "1" }
servers:
  - url: "{scheme}://test.example.com/{version}"
    variables: { scheme: { default: https }, version: { default: v1 } }
paths:
  /users:
    get:
      responses:
        "200": { $ref: "#/components/responses/Users" }
  /users/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
    get:
      parameters: [{ name: expand, in: query, schema: { type: string } }]
      responses:
        "200":
          description: One
          content: { "application/json; charset=utf-8": { schema: { $ref: "#/components/schemas/User" } } }
        default:
          description: Not so
          content:
            application/json:
              schema: { type: object, required: [error], properties: { error: { type: string } } }
components:
  responses:
    Users:
      description: All
      content:
        application/json:
          schema:
            type: object
            required: [data]
            properties: { data: { type: array, items: { $ref: "#/components/schemas/Named" } } }
  schemas:
    Named: { type: object, required: [id], properties: { id: { type: integer } } }
    User:
      allOf:
        - $ref: "#/components/schemas/Named"
        - type: object
          required: [name, note]
          properties:
            name: { type: string }
            note: { type: string, nullable: true }
            tags: { type: array, items: { type: string } }
`;

beforeAll(async () => {
  causeway = await startTestInstance();
  folder = await mkdtemp(join(tmpdir(), "causeway-documents-"));
  await post("traffic", harOf(traffic));
});

afterAll(async () => {
  await causeway.close();
  await rm(folder, { recursive: true });
});

async function post(action: string, body: unknown): Promise<void> {
  const path = `/v1/admin/services/users/${action}`;
  const { status } = await causeway.call("POST", path, { token: causeway.adminToken, body });
  expect(status).toBe(200);
}

function run(words: readonly string[], input?: string): Promise<Outcome> {
  const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_ADMIN_TOKEN: causeway.adminToken };
  const options = { environment, ...(input !== undefined && { input }) };
  return runCauseway(["services", ...words], options);
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe("causeway services diff", () => {
  it("finds nothing between what was learned and the same in other words", async () => {
    const outcome = await run(["diff", "users", await file("same.yaml", written)]);
    expect(outcome).toEqual({ code: 0, signal: undefined, stdout: "no differences\n", stderr: "" });
  });

  it("finds nothing between the document and itself", async () => {
    const { stdout } = await run(["get", "users", "--json"]);
    const { document } = JSON.parse(stdout) as { document: unknown };
    const outcome = await run(["diff", "users", "-"], JSON.stringify(document));
    expect(outcome).toMatchObject({ code: 0, stdout: "no differences\n" });
  });

  it.each<[string, string, string, object]>([
    [
      "a path",
      "/users/{id}:",
      "/people/{id}:",
      { change: "new", operation: "GET /v1/users/{user_id}", place: "" },
    ],
    [
      "a method",
      "    get:\n      parameters",
      "    put:\n      parameters",
      { change: "gone", operation: "PUT /v1/users/{id}" },
    ],
    [
      "the type of a path's variable",
      "in: path, required: true, schema: { type: integer }",
      "in: path, required: true, schema: { type: string }",
      { change: "changed", place: "path 1", was: "string", now: "integer" },
    ],
    [
      "a parameter",
      "name: expand",
      "name: fields",
      { change: "new", place: "query expand", was: null, now: "string" },
    ],
    [
      "whether one is required",
      "in: query, schema",
      "in: query, required: true, schema",
      { change: "changed", place: "query expand", was: "required", now: "optional" },
    ],
    [
      "a status",
      '"200": { $ref',
      '"201": { $ref',
      { change: "gone", operation: "GET /v1/users", place: "response 201" },
    ],
    [
      "a media type",
      "application/json; charset=utf-8",
      "text/plain",
      { change: "gone", place: "response 200 text/plain" },
    ],
    [
      "a property",
      "tags: {",
      "labels: {",
      { change: "new", place: "response 200.tags", now: "array" },
    ],
    [
      "one in a list",
      "{ id: { type: integer } }",
      "{ key: { type: integer } }",
      {
        change: "gone",
        operation: "GET /v1/users",
        place: "response 200.data[].key",
        was: "integer",
      },
    ],
    [
      "the type of a property",
      "name: { type: string }",
      "name: { type: [string, integer] }",
      { change: "changed", place: "response 200.name", was: "integer or string", now: "string" },
    ],
    [
      "whether it may be null",
      ", nullable: true",
      "",
      { change: "changed", place: "response 200.note", was: "string", now: "null or string" },
    ],
    [
      "whether it is required",
      "[name, note]",
      "[note]",
      { change: "changed", place: "response 200.name", was: "optional", now: "required" },
    ],
  ])("finds another way to say %s", async (_what, before, after, change) => {
    const path = await file("other.yaml", written.replace(before, after));
    const { code, stdout } = await run(["diff", "users", path, "--json"]);
    expect(code).toBe(1);
    const { data } = JSON.parse(stdout) as { data: unknown[] };
    expect(data).toContainEqual(expect.objectContaining(change));
  });

  it("prints a row for each difference, and their number", async () => {
    const path = await file("table.yaml", written.replace("tags: {", "labels: {"));
    const { stdout } = await run(["diff", "users", path]);
    expect(stdout).toMatch(/^change +operation +place +file +traffic\n/);
    expect(stdout).toMatch(
      /\ngone +GET \/v1\/users\/\{user_id\} +response 200\.labels +array +-\n/,
    );
    expect(stdout).toMatch(/\n\n1 new, 1 gone, 0 changed\n$/);
  });

  it("compares what was published only when it is asked to", async () => {
    await post("ship", { title: "Users", base_url: `${origin}/v1` });
    await post("traffic", harOf([{ url: `${origin}/v1/teams`, responseBody: [] }]));
    const path = await file("published.yaml", written);
    expect(await run(["diff", "users", path, "--shipped"])).toMatchObject({ code: 0 });
    expect((await run(["diff", "users", path])).stdout).toMatch(/\nnew +GET \/v1\/teams +- /);
  });

  it("comes to an end with schemas that take themselves in", async () => {
    const tree = { type: "object", properties: { next: { $ref: "#/components/schemas/Tree" } } };
    const response = {
      content: { "application/json": { schema: { $ref: "#/components/schemas/Tree" } } },
    };
    const root = {
      openapi: "3.1.0",
      paths: { "/v1/users": { get: { responses: { 200: response } } } },
      components: { schemas: { Tree: { allOf: [tree, { $ref: "#/components/schemas/Tree" }] } } },
    };
    expect(
      await run(["diff", "users", await file("tree.json", JSON.stringify(root))]),
    ).toMatchObject({ code: 1 });
  });

  it.each([
    ["text that is nothing", "a: [", "is neither JSON nor YAML: "],
    ["another document", '{"log": {}}', "is no OpenAPI 3.0 or 3.1 document: `openapi` is neither"],
    ["an older one", '{"swagger": "2.0"}', '`openapi` is neither, but "2.0"'],
    ["a list", "[]", "is no OpenAPI document"],
  ])("ends with 2 for %s", async (_what, content, message) => {
    const { code, stdout, stderr } = await run(["diff", "users", await file("bad.json", content)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("ends with 2 for a file and a service that are not there", async () => {
    expect(await run(["diff", "users", "/nowhere.json"])).toMatchObject({ code: 2 });
    const { code, stderr } = await run(["diff", "nobody", await file("same.yaml", written)]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^not_found/);
  });
});

describe("the other commands of services", () => {
  it("list services in columns that fit, and one with its operations", async () => {
    const list = await run(["list"]);
    expect(list.stdout).toMatch(
      /^id +shipped +title +base_url +templates +requests +last_seen +updated_at\n/,
    );
    expect(list.stdout).toMatch(/\nusers +(true|false) /);
    const { stdout } = await run(["get", "users"]);
    expect(stdout).toMatch(/^id +users\n/);
    expect(stdout).toMatch(/\n\nmethod +path +statuses\n/);
    expect(stdout).toMatch(/\nGET +\/v1\/users\/\{user_id\} +200, 404(\n|$)/);
  });

  it("publish a document and print it", async () => {
    const ship = await run(["ship", "users", "--title", "Users", "--base-url", `${origin}/v1`]);
    expect(ship.stdout).toMatch(/\ntitle +Users\n/);
    expect(JSON.parse((await run(["document", "users"])).stdout)).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Users" },
    });
  });

  it("take the document back, and forget the service", async () => {
    expect((await run(["unship", "users"])).stdout).toMatch(/\nshipped +false\n/);
    expect(await run(["delete", "users"])).toMatchObject({ code: 0 });
    expect((await run(["get", "users"])).stderr).toMatch(/^not_found/);
  });
});
