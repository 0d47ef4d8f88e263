import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import {
  Ecosystem,
  PackageHealthRequestSchema,
  Verdict,
} from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { restClient } from "../../support/rest-client.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { firstClient, modernClient } from "../../transport/mcp/mcp-clients.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  serveNpm(tools.fake, { name: "left", versions: [{ version: "1.0.0", at: daysAgo(3) }] });
});

afterAll(() => tools.close());

const input = { ecosystem: "npm", name: "left", task_context: "Testing" };

describe("the tools", () => {
  it.each([
    ["Connect", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["gRPC-web", (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
  ])("answer over %s", async (_name, transportTo) => {
    const client = createClient(DepshealthService, transportTo(tools.causeway.toolsUrl));
    const request = { ecosystem: Ecosystem.NPM, name: "left", taskContext: "Testing" };
    expect((await client.packageHealth(request)).verdict).toBe(Verdict.ACTIVE);
    const bad = create(PackageHealthRequestSchema, { ecosystem: Ecosystem.NPM, name: "left" });
    const failure = await client
      .packageHealth(bad)
      .catch((error: unknown) => ConnectError.from(error));
    expect(failure).toMatchObject({ code: Code.InvalidArgument });
  });

  it.each([
    ["the first client", (url: string) => firstClient(url)],
    ["the second", (url: string) => modernClient(url, { mode: "auto" })],
  ])(
    "[health.mcp] [tools.mcp-equal] answer over MCP what REST answers, to %s",
    async (_name, connect) => {
      const client = await connect(`${tools.causeway.toolsUrl}/mcp`);
      await client.listTools();
      const calls: readonly (readonly [string, Record<string, unknown>])[] = [
        ["package_health", input],
        [
          "deps_audit",
          {
            packages: [{ ecosystem: "npm", name: "left" }],
            manifest: "left\n-e .",
            task_context: "x",
          },
        ],
        ["runtime_eol", { product: "node", task_context: "x" }],
        ["package_health", { ...input, name: "nobody-knows-it" }],
      ];
      for (const [name, body] of calls) {
        const result = await client.call(name, body);
        const answer = await tools.tool(name, body);
        const structured = result.structuredContent as Record<string, unknown>;
        expect(structured).toEqual({ ...answer.body, checked_at: structured["checked_at"] });
        expect(result.isError ?? false).toBe(false);
      }
    },
  );

  it("[mcp.size] cost a model that is told of them less than 1,500 tokens", async () => {
    const client = await firstClient(`${tools.causeway.toolsUrl}/mcp`);
    const listed = JSON.stringify({ tools: await client.listTools() });
    // Tokenizers cut texts into words, numbers and runs of signs first, and most words are
    // one token: with a token for each seven letters this counts more than o200k does.
    const pieces = listed.match(/ ?[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]+/g) ?? [];
    const tokens = pieces.reduce((sum, piece) => sum + Math.ceil(piece.length / 7), 0);
    expect(tokens).toBeLessThan(1500);
    expect(tokens).toBeGreaterThan(500);
  });

  it("[mcp.size] give an example of a name for each ecosystem", async () => {
    const client = await firstClient(`${tools.causeway.toolsUrl}/mcp`);
    const [health] = await client.listTools();
    const { properties } = health?.inputSchema ?? {};
    const { ecosystem, name } = properties as Record<
      string,
      { enum: string[]; description: string }
    >;
    expect(ecosystem?.enum).toHaveLength(8);
    for (const word of ecosystem?.enum ?? []) {
      expect(name?.description).toMatch(new RegExp(`\\b${word} \`[^\`]+\``));
    }
  });

  it("[health.context] [tools.open] read no credential", async () => {
    const call = restClient(tools.causeway.toolsUrl);
    const answer = await call("POST", "/tools/package_health", { body: input, token: "junk" });
    expect(answer.status).toBe(200);
  });

  it("[tools.post] are POST with a JSON body", async () => {
    const call = restClient(tools.causeway.toolsUrl);
    expect(await call("GET", "/tools/package_health")).toMatchObject({ status: 405 });
    expect(await call("POST", "/tools/package_health")).toMatchObject({
      status: 400,
      body: { param: "ecosystem" },
    });
    const headers = { "content-type": "text/plain" };
    expect(await call("POST", "/tools/package_health", { body: input, headers })).toMatchObject({
      status: 400,
      body: { param: "content-type" },
    });
  });

  it("are not on the gateway's port, nor the gateway's operations on theirs", async () => {
    const gateway = await tools.causeway.call("POST", "/tools/package_health", { body: input });
    expect(gateway.status).toBe(404);
    const call = restClient(tools.causeway.toolsUrl);
    expect((await call("GET", "/v1/upstreams")).status).toBe(404);
  });

  it("[tools.version] stand in /openapi.json with the version of the interface", async () => {
    const { body } = await restClient(tools.causeway.toolsUrl)("GET", "/openapi.json");
    expect(body.info.version).toBe("0.1.1");
    const operations = ["package_health", "deps_audit", "runtime_eol"].map(
      (name) => body.paths[`/tools/${name}`].post,
    );
    expect(operations.map(({ operationId }) => operationId)).toEqual([
      "package_health",
      "deps_audit",
      "runtime_eol",
    ]);
    for (const operation of operations) expect(operation.security ?? []).toEqual([]);
  });
});

describe("the request bucket", () => {
  it("[tools.open] is of the address, over every protocol, and not of the operator", async () => {
    // One token a minute, so that none comes back while the test runs.
    const limited = await startTools({
      settings: { limits: { tools_requests_per_minute: 1, tools_burst: 3 } },
    });
    const call = restClient(limited.causeway.toolsUrl);
    const ask = (token?: string) => call("POST", "/tools/package_health", { body: input, token });
    const first = await ask();
    expect(first.headers.get("ratelimit-policy")).toBe('"requests";q=3;w=180');
    expect(first.headers.get("ratelimit")).toContain("r=2");
    await ask();
    await ask();
    const refused = await ask("a-token-changes-nothing");
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const transport = createConnectTransport({
      baseUrl: limited.causeway.toolsUrl,
      httpVersion: "1.1",
    });
    const client = createClient(DepshealthService, transport);
    await expect(client.runtimeEol({ product: "node", taskContext: "x" })).rejects.toMatchObject({
      code: Code.ResourceExhausted,
    });
    expect(
      (await call("POST", "/mcp", { body: { jsonrpc: "2.0", id: 1, method: "ping" } })).status,
    ).toBe(429);
    expect((await limited.operator("/v1/admin/task_contexts")).status).toBe(200);
    expect((await call("GET", "/healthz")).status).toBe(200);
    await limited.close();
  });

  it("[tools.open] is of the caller behind a trusted proxy, and of the peer behind any other", async () => {
    const settings = { limits: { tools_requests_per_minute: 1, tools_burst: 1 } };
    const statuses = async (environment: Record<string, string>) => {
      const limited = await startTools({ settings, environment });
      const call = restClient(limited.causeway.toolsUrl);
      const from = (address: string) =>
        call("POST", "/tools/package_health", {
          body: input,
          headers: { "x-forwarded-for": address },
        });
      const answers = [await from("192.0.2.1"), await from("192.0.2.2"), await from("192.0.2.1")];
      await limited.close();
      return answers.map(({ status }) => status);
    };
    expect(await statuses({ CAUSEWAY_TRUSTED_PROXIES: "127.0.0.0/8" })).toEqual([200, 200, 429]);
    expect(await statuses({})).toEqual([200, 429, 429]);
  });
});
