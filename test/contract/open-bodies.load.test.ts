import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const audit = "/causeway.depshealth.v1.DepshealthService/DepsAudit";
const kibibyte = 1024;

function envelope(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function post(path: string, contentType: string, body: Buffer) {
  const accept = "application/json, text/event-stream";
  const headers = { "content-type": contentType, accept };
  const answer = await fetch(causeway.toolsUrl + path, { method: "POST", headers, body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** JSON of so many bytes whose members no message has. */
function jsonOf(bytes: number, members = ""): Buffer {
  return Buffer.from(`{${members}"padding":"${"x".repeat(bytes)}"}`);
}

describe("a body of an operation without a credential", () => {
  const tooLarge = jsonOf(257 * kibibyte);

  it.each([
    ["REST", "/tools/deps_audit", "application/json"],
    ["Connect", audit, "application/json"],
    ["MCP", "/mcp", "application/json"],
  ])("is refused over 256 KiB by %s", async (_, path, contentType) => {
    const { status, text } = await post(path, contentType, tooLarge);
    expect([413, 429]).toContain(status);
    expect(text).toMatch(/request_too_large|resource_exhausted/);
  });

  it("is refused over 256 KiB by gRPC-web", async () => {
    const { text } = await post(audit, "application/grpc-web+json", envelope(tooLarge));
    expect(text).toContain("grpc-status: 8");
  });

  it.each([
    ["REST", "/tools/deps_audit"],
    ["Connect", audit],
  ])("is accepted by %s with a manifest of 60,000 characters of four bytes", async (_, path) => {
    const body = JSON.stringify({ manifest: "\u{1f600}".repeat(60_000), task_context: "" });
    const { text } = await post(path, "application/json", Buffer.from(body));
    // Read, and refused for what it does not say.
    expect(text).toContain("task_context");
  });
});

describe("a request to /mcp", () => {
  const list = (params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`;

  it.each([
    ["members", `{${Array.from({ length: 5001 }, (_, at) => `"${at}":0`).join(",")}}`],
    ["items", `{"x":[${"0,".repeat(5001)}0]}`],
    ["lists within lists", `{"x":${"[".repeat(5001)}${"]".repeat(5001)}}`],
  ])("is refused with more than 5000 values: %s", async (_, params) => {
    const { status, text } = await post("/mcp", "application/json", Buffer.from(list(params)));
    expect(status).toBe(400);
    expect(text).toContain("invalid_request");
  });

  it("is served with a string of more commas and brackets than values are allowed", async () => {
    const text = JSON.stringify('\\",[{'.repeat(10_000));
    const { status } = await post("/mcp", "application/json", Buffer.from(list(`{"x":${text}}`)));
    expect(status).toBe(200);
  });
});

describe("a call without a credential of an operation that needs one", () => {
  it.each([
    ["Connect", "application/json", 401],
    ["Connect", "application/proto", 401],
    ["gRPC-web", "application/grpc-web+proto", 200],
    ["gRPC", "application/grpc+proto", 200],
  ])("is refused by %s (%s) before its body arrives", async (_, contentType, status) => {
    const sent = request(`${causeway.url}/causeway.account.v1.AccountService/CreateKey`, {
      method: "POST",
      headers: { "content-type": contentType, "content-length": 1_000_000, te: "trailers" },
    });
    sent.on("error", () => undefined);
    sent.flushHeaders();
    const refused = await new Promise<number | undefined>((resolve) => {
      sent.once("response", (answer) => resolve(answer.statusCode));
    });
    sent.destroy();
    expect(refused).toBe(status);
  });
});
