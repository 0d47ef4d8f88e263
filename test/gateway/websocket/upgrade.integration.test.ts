import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { pausedStream } from "../turn/paused-stream.ts";
import { openSocket } from "./socket-client.ts";
import { modelOf, startSocketInstance, type SocketInstance } from "./socket-instance.ts";

const page = "https://app.example.org";

let instance: SocketInstance;

beforeAll(async () => {
  instance = await startSocketInstance({ file: { cors: { origins: [page] } } });
});

afterAll(() => instance.close());

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
): Promise<IncomingMessage & { body: Record<string, Record<string, unknown>> }> {
  const { url } = instance.causeway;
  const asked = request(url + path, { method, headers }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const body = (await json(answer)) as Record<string, Record<string, unknown>>;
  return Object.assign(answer, { body });
}

/** Resolves to all that came until it holds `part`, or until the connection closed. */
async function textUntil(socket: Socket, part: string): Promise<string> {
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes(part)) break;
  }
  return text;
}

describe("an upgrade of GET /v1/responses to WebSocket", () => {
  it("is answered 101, and its request is over", async () => {
    const { causeway, caller } = instance;
    const { secret, keyId } = await caller();
    const client = await openSocket(causeway.url, secret);
    expect(client.socket.extensions).toBe("");
    const line = causeway.logLines().find((one) => one["status"] === 101);
    expect(line).toMatchObject({ method: "GET", route: "/v1/responses", key_id: keyId });
    client.socket.close(1000);
    expect(await client.closed).toMatchObject({ code: 1000 });
  });

  it("[socket.refusals] is refused without a live key, in the dialect's form", async () => {
    const { caller, causeway } = instance;
    const { keyId, session, secret } = await caller();
    const none = await ask("GET", "/v1/responses", webSocket);
    expect(none.statusCode).toBe(401);
    expect(none.headers).toMatchObject({ "www-authenticate": "Bearer", connection: "close" });
    expect(none.body["error"]).toMatchObject({
      code: "unauthorized",
      type: "authentication_error",
      request_id: none.headers["x-request-id"],
    });
    const bearers = [session, `${secret}x`];
    const answers = bearers.map((token) =>
      ask("GET", "/v1/responses", { ...webSocket, authorization: `Bearer ${token}` }),
    );
    expect((await Promise.all(answers)).map((one) => one.statusCode)).toEqual([403, 401]);
    await causeway.call("DELETE", `/v1/keys/${keyId}`, { token: session });
    const authorization = `Bearer ${secret}`;
    const revoked = await ask("GET", "/v1/responses", { ...webSocket, authorization });
    expect(revoked.statusCode).toBe(403);
  });

  it("[socket.protocol] finds no credential in sec-websocket-protocol, and chooses none", async () => {
    const { caller } = instance;
    const { secret } = await caller();
    const protocols = { "sec-websocket-protocol": `openai-insecure-api-key.${secret}` };
    const refused = await ask("GET", "/v1/responses", { ...webSocket, ...protocols });
    expect(refused.statusCode).toBe(401);
    const { url } = instance.causeway;
    const headers = { ...webSocket, ...protocols, authorization: `Bearer ${secret}` };
    const asked = request(`${url}/v1/responses`, { headers }).end();
    const [answer, socket] = await once(asked, "upgrade");
    expect(answer.headers).not.toHaveProperty("sec-websocket-protocol");
    socket.destroy();
  });

  it.each([
    ["a foreign origin", { origin: "https://evil.example" }, 403, "origin"],
    ["no origin at all", { origin: "null" }, 403, "origin"],
    ["an older version", { "sec-websocket-version": "8" }, 426, "sec-websocket-version"],
    ["a short nonce", { "sec-websocket-key": "YWJj" }, 400, "sec-websocket-key"],
    ["a body with a length", { "content-length": "2" }, 400, "content-length"],
    ["an expectation", { expect: "0" }, 400, "expect"],
    ["a body in chunks", { "transfer-encoding": "chunked" }, 400, "transfer-encoding"],
    ["a bad control header", { "x-svc-route": "somewhere" }, 400, "x-svc-route"],
  ])("[socket.refusals] is refused before 101: %s", async (_what, more, status, param) => {
    const { secret } = await instance.caller();
    const headers = { ...webSocket, authorization: `Bearer ${secret}`, ...more };
    const answer = await ask("GET", "/v1/responses", headers);
    expect([answer.statusCode, answer.body["error"]?.["param"]]).toEqual([status, param]);
  });

  it("chooses WebSocket where the caller offers other protocols as well", async () => {
    const { secret } = await instance.caller();
    const authorization = `Bearer ${secret}`;
    const headers = { ...webSocket, upgrade: "h2c, WebSocket", authorization };
    const asked = request(`${instance.causeway.url}/v1/responses`, { headers }).end();
    const [answer, socket] = await once(asked, "upgrade");
    expect(answer.headers.upgrade).toBe("websocket");
    socket.destroy();
  });

  it("is ignored behind a request whose answer is not out, which arrives whole", async () => {
    const { causeway, upstream, caller } = instance;
    const { secret } = await caller();
    const held = pausedStream();
    upstream.play(held.script);
    const { hostname, port } = new URL(causeway.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const head = `HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n`;
    const user = { role: "user", content: "One?" };
    const body = JSON.stringify({ model: modelOf("chat"), messages: [user], stream: true });
    const call = `POST /v1/chat/completions ${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const upgrade = Object.entries(webSocket).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${call}GET /v1/responses ${head}${upgrade.join("")}\r\n`);
    await held.begun;
    held.say("One");
    held.end();
    const received = await textUntil(socket, "HTTP/1.1 405");
    expect(received).toMatch(/^HTTP\/1.1 200 [^]*\[DONE\][^]*\r\n0\r\n\r\nHTTP\/1.1 405 /);
  });

  it("[socket.refusals] of a page that may call is answered 101", async () => {
    const { secret } = await instance.caller();
    const client = await openSocket(instance.causeway.url, secret, { origin: page });
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
  });

  it("[socket.connections] is refused with 429 beyond a hundred connections of a key, until one closes", async () => {
    const { causeway, caller } = instance;
    const { secret } = await caller();
    const first = await openSocket(causeway.url, secret);
    for (let opened = 1; opened < 100; opened++) await openSocket(causeway.url, secret);
    const headers = { ...webSocket, authorization: `Bearer ${secret}` };
    const refused = await ask("GET", "/v1/responses", headers);
    expect(refused.statusCode).toBe(429);
    expect(refused.body["error"]).toMatchObject({ code: "rate_limited" });
    const other = await openSocket(causeway.url, (await caller()).secret);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
    first.socket.terminate();
    await expect
      .poll(
        async () =>
          openSocket(causeway.url, secret).then(
            () => true,
            () => false,
          ),
        {
          timeout: 10_000,
        },
      )
      .toBe(true);
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
  ] as const)(
    "[socket.others] is answered as without it: %s",
    async (_what, method, path, headers, status) => {
      const answer = await ask(method, path, headers);
      expect(answer.statusCode).toBe(status);
      expect(answer.headers["allow"]).toBe(status === 405 ? "POST" : undefined);
    },
  );

  it.each(["1.0", "2.0"])(
    "[socket.others] is answered as without it: an upgrade over HTTP/%s, which has none",
    async (version) => {
      const { secret } = await instance.caller();
      const { hostname, port } = new URL(instance.causeway.url);
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      const headers = { ...webSocket, host: "x", authorization: `Bearer ${secret}` };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET /v1/responses HTTP/${version}\r\n${lines.join("")}\r\n`);
      const received = await textUntil(socket, "\r\n");
      expect(received).toMatch(/^HTTP\/1.1 405 /);
    },
  );

  it("is answered as without it: a GET over HTTP/2", async () => {
    const session = connectHttp2(instance.causeway.url);
    const stream = session.request({ ":path": "/v1/responses" });
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(405);
    session.destroy();
  });
});
