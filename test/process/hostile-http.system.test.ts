import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TestUser } from "../support/rest-client.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { sendRaw } from "./support/raw-request.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** One server for all of it: what one test does to it, the next would notice. */
let database: TestDatabase;
let server: ServerProcess;
let user: TestUser;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ databaseUrl: database.connectionString });
  user = await server.createUser();
  key = (await user.createKey()).secret;
});
afterAll(async () => {
  await server.end();
  await database.drop();
});

const forty = Buffer.alloc(40 * 1024 * 1024, " ");
const deep = "[".repeat(10_000) + "]".repeat(10_000);
const smuggled = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/** Each way in: its path, who may call it, and how its refusals look. */
const routes = [
  {
    path: "/v1/upstreams",
    token: () => user.session,
    refusal: (code: string) => ({ error: code }),
  },
  {
    path: "/v1/chat/completions",
    token: () => key,
    refusal: (code: string) => ({ error: { code } }),
  },
  {
    path: "/v1/responses",
    token: () => key,
    refusal: (code: string) => ({ error: { code } }),
  },
  {
    path: "/v1/messages",
    token: () => key,
    refusal: (code: string) => ({ error: { details: { error_code: code } } }),
  },
];

describe.each(routes)("POST $path", ({ path, token, refusal }) => {
  const headers = () =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${token()}\r\ncontent-type: application/json\r\n`;
  const whole = (body: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`${headers()}content-length: ${Buffer.byteLength(body)}\r\n\r\n`),
      Buffer.from(body),
    ]);
  const chunked = (body: Buffer) =>
    Buffer.concat([
      Buffer.from(`${headers()}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`),
      body,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);

  it.each<[string, () => Buffer, number, string]>([
    ["no body", () => whole(""), 400, "invalid_request"],
    ["half a body", () => whole('{"model":'), 400, "invalid_request"],
    ["no JSON", () => whole("model=m1"), 400, "invalid_request"],
    ["no UTF-8", () => whole(Buffer.from('{"model":"\xff"}', "latin1")), 400, "invalid_request"],
    ["no object", () => whole("[]"), 400, "invalid_request"],
    ["depth", () => whole(`{"model":"custom/a/b","label":${deep}}`), 400, "invalid_request"],
    ["endless depth", () => whole("[".repeat(1_000_000)), 400, "invalid_request"],
    ["40 MiB with their length", () => whole(forty), 413, "request_too_large"],
    ["40 MiB in chunks", () => chunked(forty), 413, "request_too_large"],
    ["40 MiB announced and not sent", () => unsent(headers()), 413, "request_too_large"],
  ])("refuses %s", async (_name, bytes, status, code) => {
    const answer = await sendRaw(server.url, bytes());
    expect(answer.statuses).toEqual([status]);
    expect(answer.body).toMatchObject(refusal(code));
    expect(answer.requestId).toBe(answer.headers["x-request-id"]);
  });
});

function unsent(headers: string): Buffer {
  return Buffer.from(`${headers}content-length: ${forty.length}\r\n\r\n{`);
}

describe("requests that are none", () => {
  it.each<[string, string | Buffer, number]>([
    ["two lengths", request("content-length: 4\r\ncontent-length: 5", `{}{}${smuggled}`), 400],
    [
      "a length and chunks",
      request("content-length: 4\r\ntransfer-encoding: chunked", `0\r\n\r\n${smuggled}`),
      400,
    ],
    ["an unknown coding", request("transfer-encoding: xchunked", `0\r\n\r\n${smuggled}`), 501],
    [
      "a coding behind chunks",
      request("transfer-encoding: chunked, identity", `0\r\n\r\n${smuggled}`),
      400,
    ],
    ["a length with a sign", request("content-length: +4", `{}{}${smuggled}`), 400],
    ["a bad chunk", request("transfer-encoding: chunked", `zz\r\n${smuggled}`), 400],
    ["a space before the colon", request("content-length : 4", `{}{}${smuggled}`), 400],
    ["a folded header", request("x-a: b\r\n c", smuggled), 400],
    ["bare line feeds", "GET /healthz HTTP/1.1\nhost: x\n\n", 400],
    ["NUL in the path", "GET /v1/up\0streams HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["an unknown method", "FROBNICATE /v1/upstreams HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["an unknown version", "GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n", 400],
    ["a key of a mebibyte", request(`x-api-key: ${"k".repeat(1024 * 1024)}`), 431],
    ["ten thousand headers", request("x-a: b\r\n".repeat(10_000).trim()), 431],
    ["a path of 100 KB", `GET /${"a".repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ["a TLS greeting", Buffer.from("16030100c2010000be0303", "hex"), 400],
    ["noise", Buffer.concat([Buffer.from([0]), randomBytes(4096)]), 400],
  ])("refuses %s, and answers nothing else", async (_name, bytes, status) => {
    const answer = await sendRaw(server.url, bytes);
    expect(answer).toMatchObject({ statuses: [status], isClosed: true });
    expect(answer.body).toMatchObject({ error: "invalid_request", message: expect.any(String) });
    expect(answer.requestId).toBe(answer.headers["x-request-id"]);
  });

  it.each<[string, string]>([
    ["noise behind the preface of HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\0".repeat(999)}`],
    ["half a preface", "PRI * HTTP/2.0\r\n\r\nxx"],
  ])("closes the connection at %s", async (_name, bytes) => {
    expect(await sendRaw(server.url, bytes)).toMatchObject({ isClosed: true });
  });
});

describe("paths and methods", () => {
  it.each([
    ["DELETE", "/v1/upstreams/%00", 400, "invalid_request"],
    ["DELETE", "/v1/upstreams/%zz", 400, "invalid_request"],
    ["DELETE", "/v1/upstreams/%ff", 400, "invalid_request"],
    ["DELETE", "/v1/upstreams/a%0d%0aset-cookie:%20a=b", 404, "not_found"],
    ["GET", "/v1/upstreams?after_id=%00", 400, "invalid_request"],
    ["GET", "/v1/../../etc/passwd", 404, "not_found"],
    ["PURGE", "/v1/upstreams", 405, "invalid_request"],
    ["TRACE", "/v1/upstreams", 405, "invalid_request"],
  ])("%s %s is answered with %d", async (method, path, status, code) => {
    const answer = await sendRaw(
      server.url,
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${user.session}\r\n\r\n`,
    );
    expect(answer.statuses).toEqual([status]);
    expect(answer.body).toMatchObject({ error: code });
    expect(answer.headers).not.toHaveProperty("set-cookie");
  });
});

it("has done the server no harm", async () => {
  expect((await server.call("GET", "/readyz")).status).toBe(200);
  expect(server.process.stderr).not.toMatch(/"level":[56]0/);
});

/** A POST with those further headers. */
function request(headers: string, body = ""): string {
  return `POST /v1/upstreams HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`;
}
