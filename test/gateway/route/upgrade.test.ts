import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

let causeway: TestInstance;

beforeAll(async () => {
  causeway = await startTestInstance();
});

afterAll(() => causeway.close());

const webSocket = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  agent?: Agent,
): Promise<IncomingMessage & { body: Record<string, Record<string, unknown>> }> {
  const asked = request(causeway.url + path, { method, headers, ...(agent && { agent }) }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const body = (await json(answer)) as Record<string, Record<string, unknown>>;
  return Object.assign(answer, { body });
}

describe("an upgrade of GET /v1/responses to WebSocket", () => {
  it.each([
    ["websocket", "Upgrade"],
    ["h2c, WebSocket", "keep-alive, upgrade"],
  ])("is answered 426 for %s", async (upgrade, connection) => {
    const answer = await ask("GET", "/v1/responses?x=1", { ...webSocket, upgrade, connection });
    expect(answer.statusCode).toBe(426);
    expect(answer.headers).toMatchObject({ upgrade: "HTTP/1.1", connection: /upgrade/i });
    expect(answer.body["error"]).toMatchObject({
      code: "invalid_request",
      type: "invalid_request_error",
      message: expect.stringContaining("POST /v1/responses"),
      request_id: answer.headers["x-request-id"],
    });
  });

  it("leaves the connection for the next request", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const refused = await ask("GET", "/v1/responses", webSocket, agent);
    const next = await ask("GET", "/healthz", {}, agent);
    agent.destroy();
    expect([refused.statusCode, next.statusCode]).toEqual([426, 200]);
  });
});

describe("anything else", () => {
  it.each([
    ["a plain GET", "GET", "/v1/responses", {}, 405],
    ["another upgrade", "GET", "/v1/responses", { ...webSocket, upgrade: "h2c" }, 405],
    ["a header without its connection", "GET", "/v1/responses", { upgrade: "websocket" }, 405],
    ["another path", "GET", "/v1/chat/completions", webSocket, 405],
    ["another path that is none", "GET", "/v1/nothing", webSocket, 404],
    ["a call", "POST", "/v1/responses", webSocket, 401],
  ] as const)("is answered as without it: %s", async (_what, method, path, headers, status) => {
    const answer = await ask(method, path, headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers["allow"]).toBe(status === 405 ? "POST" : undefined);
  });
});
