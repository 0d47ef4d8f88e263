import { describe, expect, it } from "vitest";
import { request as httpRequest } from "node:http";
import { rest } from "../support/call-server.ts";
import { firstClient, modernClient, type McpClient } from "./mcp-clients.ts";
import { startMcpServer } from "./mcp-fixture.ts";

const generations: readonly (readonly [
  name: string,
  revision: string,
  connect: (url: string) => Promise<McpClient>,
])[] = [
  ["the first client", "2025-11-25", firstClient],
  ["the second client as of 2025", "2025-11-25", (url) => modernClient(url)],
  ["the second client", "2026-07-28", (url) => modernClient(url, { mode: "auto" })],
];

const input = { ecosystem: "npm", name: "left", task_context: "Choosing a library" };

describe.each(generations)("%s", (_name, revision, connect) => {
  it("agrees on its revision", async () => {
    const { origin } = await startMcpServer();
    const client = await connect(`${origin}/mcp`);
    expect(client.revision).toBe(revision);
    expect(client.server).toMatchObject({ name: "causeway", version: "0.1.1" });
  });

  it("[tools.mcp-equal] sees the tools in the contract's order, with schemas of their own", async () => {
    const { origin } = await startMcpServer();
    const tools = await (await connect(`${origin}/mcp`)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(["package_health", "deps_audit", "runtime_eol"]);
    for (const tool of tools) {
      expect(tool.title).toMatch(/\w/);
      expect(tool.description).toContain("Use it");
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
      });
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool.inputSchema["required"]).toContain("task_context");
      expect(tool.outputSchema).toMatchObject({ type: "object" });
      expect(JSON.stringify(tool)).not.toContain("$ref");
    }
    expect(tools.map(({ annotations }) => annotations?.["openWorldHint"])).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("gets what REST answers, as JSON and as text", async () => {
    const server = await startMcpServer();
    const client = await connect(`${server.origin}/mcp`);
    // So that the client checks the answer against the schema of the tool.
    await client.listTools();
    const result = await client.call("package_health", input);
    const answer = await rest(server, "POST", "/tools/package_health", { body: input });
    expect(answer.status).toBe(200);
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toEqual(answer.body);
    expect(result.content).toEqual([{ type: "text", text: answer.text }]);
  });

  it.each([
    ["a missing field", { ecosystem: "npm", name: "left" }, "(task_context)"],
    ["an unknown field", { ...input, surprise: 1 }, "(surprise)"],
    ["a wrong word", { ...input, ecosystem: "NPM" }, "(ecosystem)"],
    ["a wrong type", { ...input, name: 7 }, "(name)"],
    ["null", { ...input, version: null }, "(version)"],
    ["too long a text", { ...input, version: "1".repeat(81) }, "(version)"],
  ])("[tools.mcp-equal] is told of %s as REST tells it", async (_what, wrong, param) => {
    const server = await startMcpServer();
    const client = await connect(`${server.origin}/mcp`);
    const result = await client.call("package_health", wrong);
    const { status, body } = await rest(server, "POST", "/tools/package_health", { body: wrong });
    const { message } = body as { message: string };
    expect(status).toBe(400);
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: `invalid_request ${param}: ${message}` }],
    });
    expect(result).not.toHaveProperty("structuredContent");
  });

  it("is told of a name that is not there, with the nearest", async () => {
    const { origin } = await startMcpServer();
    const client = await connect(`${origin}/mcp`);
    const result = await client.call("runtime_eol", { product: "nodjs", task_context: "x" });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "not_found: There is no such product. Did you mean: nodejs?" }],
    });
  });

  it("is told no secret of a failure", async () => {
    const server = await startMcpServer();
    const client = await connect(`${server.origin}/mcp`);
    const result = await client.call("package_health", { ...input, name: "broken" });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(/^internal_error: /);
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(JSON.stringify(server.logLines())).toContain("a secret of the server");
  });

  it("is refused a tool that is not there", async () => {
    const { origin } = await startMcpServer();
    const client = await connect(`${origin}/mcp`);
    await expect(client.call("listTaskContexts", {})).rejects.toThrow("There is no tool");
  });
});

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const accept = { accept: "application/json, text/event-stream" };

describe("/mcp", () => {
  it("gives each answer a request id and counts it by address", async () => {
    const server = await startMcpServer({ burst: 2 });
    const post = () => rest(server, "POST", "/mcp", { body: ping, headers: accept });
    const first = await post();
    expect(first.status).toBe(200);
    expect(first.headers.get("x-request-id")).toMatch(/^req_/);
    expect(first.headers.get("ratelimit")).toContain("r=1");
    expect((await rest(server, "POST", "/tools/package_health", { body: input })).status).toBe(200);
    const third = await post();
    expect(third).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(third.headers.get("retry-after")).toBe("1");
  });

  it("counts every call of a batch, which earlier revisions allow", async () => {
    const server = await startMcpServer({ burst: 3 });
    const call = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "package_health", arguments: input },
    });
    const body = [1, 2, 3, 4, 5].map(call);
    const { status, text } = await rest(server, "POST", "/mcp", { body, headers: accept });
    expect(status).toBe(200);
    expect(text.split("structuredContent")).toHaveLength(4);
    expect(text.split("rate_limited: ")).toHaveLength(3);
  });

  it("names the called method in the access log, and no text of the caller's", async () => {
    const server = await startMcpServer();
    const client = await firstClient(`${server.origin}/mcp`);
    await client.call("package_health", { ...input, task_context: "a private goal" });
    const lines = server.logLines().filter((line) => line["route"] === "/mcp");
    expect(lines).toContainEqual(
      expect.objectContaining({
        procedure: "causeway.depshealth.v1.DepshealthService/PackageHealth",
        status: 200,
      }),
    );
    expect(JSON.stringify(server.logLines())).not.toContain("private goal");
  });

  it.each(["GET", "DELETE", "PUT"])("answers %s with 405", async (method) => {
    const { status, headers } = await rest(await startMcpServer(), method, "/mcp", {
      headers: accept,
    });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("refuses what is no JSON, and what is no message", async () => {
    const server = await startMcpServer();
    const json = { ...accept, "content-type": "application/json" };
    const broken = await rest(server, "POST", "/mcp", { body: "{", headers: json });
    expect(broken).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    const other = await rest(server, "POST", "/mcp", { body: { a: 1 }, headers: json });
    expect(other.status).toBe(400);
    const text = { ...accept, "content-type": "text/plain" };
    expect((await rest(server, "POST", "/mcp", { body: "{}", headers: text })).status).toBe(415);
  });

  it("refuses a body larger than that of REST", async () => {
    const server = await startMcpServer();
    const body = { ...ping, params: { pad: "x".repeat(1024 * 1024) } };
    const answer = await rest(server, "POST", "/mcp", { body, headers: accept });
    expect(answer).toMatchObject({ status: 413, body: { error: "request_too_large" } });
  });

  it("refuses a body that is more than one caller may have held", async () => {
    const server = await startMcpServer({ heldBodiesMib: 2 });
    const body = { ...ping, params: { pad: "x".repeat(600 * 1024) } };
    const answer = await rest(server, "POST", "/mcp", { body, headers: accept });
    expect(answer).toMatchObject({ status: 413, body: { error: "request_too_large" } });
    expect((await rest(server, "POST", "/mcp", { body: ping, headers: accept })).status).toBe(200);
  });

  it.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["http://localhost:3000", 200],
    ["http://127.0.0.1:9999", 200],
    ["https://tools.example", 200],
    ["https://tools.example.evil.example", 403],
  ])("answers a page of %s with %d", async (origin, status) => {
    const headers = { ...accept, origin };
    const answer = await rest(await startMcpServer(), "POST", "/mcp", { body: ping, headers });
    expect(answer.status).toBe(status);
  });

  it.each([
    ["evil.example", 403],
    ["localhost", 200],
    ["tools.example", 200],
    ["tools.example:8443", 200],
    ["203.0.113.7", 200],
    ["[2001:db8::1]:80", 200],
    ["localhost.evil.example", 403],
  ])("answers under the name %s with %d", async (host, status) => {
    const { origin } = await startMcpServer();
    expect(await statusUnder(origin, host)).toBe(status);
  });
});

/** Fetch chooses the host by itself. */
function statusUnder(origin: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { ...accept, host, "content-type": "application/json" };
    const request = httpRequest(`${origin}/mcp`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject).end(JSON.stringify(ping));
  });
}
