import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { KeySchema } from "../../../gen/ts/causeway/account/v1/key_pb.ts";
import { AliasService } from "../../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { TeamService } from "../../../gen/ts/causeway/team/v1/team_pb.ts";
import { UpstreamService } from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { ApiError, notFoundError } from "../../../src/platform/errors.ts";
import { principalKey, requestContextKey } from "../../../src/platform/request-context.ts";
import { partialService, rest, startCallServer } from "../support/call-server.ts";

const mebibyte = 1024 * 1024;

/** Echoes what arrived, so that the tests can see it. */
const account = partialService(AccountService, {
  createKey: ({ name }, context: HandlerContext) => {
    context.responseHeader.append("set-cookie", "a=1");
    context.responseHeader.append("set-cookie", "b=2");
    context.responseHeader.set("x-handler", "seen");
    return { key: create(KeySchema, { name: name ?? "unnamed" }), secret: "cwk_1" };
  },
  updateKey: ({ id, updateMask }) => ({ id, name: updateMask?.paths.join() ?? "" }),
  listKeys: ({ limit }) => ({ hasMore: limit === 7 }),
  revokeKey: ({ id }) => ({ id }),
  signOut: () => ({ ok: true }),
  getMe: (_request, { values, protocolName }) => {
    const principal = values.get(principalKey);
    return {
      id: principal.kind,
      email: protocolName,
      name: values.get(requestContextKey)?.address ?? "",
    };
  },
  finishSignIn: () => ({ token: "cws_1", user: { id: "user_1" } }),
  startSignIn: ({ email }) => {
    if (email === "crash@example.org") throw new Error("secret detail");
    if (email === "late@example.org") {
      throw new ApiError("rate_limited", "Too many.", { retryAfterSeconds: 9 });
    }
    throw new ApiError("conflict", "Taken.", { suggestions: ["other"] });
  },
});

const upstream = partialService(UpstreamService, {
  deleteUpstream: ({ slug }) => {
    if (slug === "gone") throw notFoundError("endpoint");
    return {};
  },
});

describe("REST routes", () => {
  it("answer with the method's status, headers of the handler and a request id", async () => {
    const server = await startCallServer([account]);
    const answer = await rest(server, "POST", "/v1/keys", {
      token: "session",
      body: { name: "ci" },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ key: { object: "key", name: "ci" }, secret: "cwk_1" });
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(answer.headers.get("x-handler")).toBe("seen");
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
  });

  it("answer 204 without a body", async () => {
    const server = await startCallServer([upstream]);
    const answer = await rest(server, "DELETE", "/v1/upstreams/a", { token: "writer" });
    expect(answer).toMatchObject({ status: 204, text: "" });
    expect(answer.headers.get("content-type")).toBeNull();
  });

  it("answer with one field as the whole body", async () => {
    const alias = partialService(AliasService, {
      listAliases: () => ({ aliases: [{ token: "fast", vendor: "acme" }] }),
    });
    const server = await startCallServer([alias]);
    const answer = await rest(server, "GET", "/v1/aliases", { token: "reader" });
    expect(answer.body).toMatchObject([{ object: "alias", token: "fast", vendor: "acme" }]);
  });

  it("[operations.foreign-json] answer an HttpBody raw, under a path with a suffix", async () => {
    const document = partialService(DocumentService, {
      getServiceDocument: ({ serviceId }, { responseHeader }) => {
        responseHeader.set("etag", '"1"');
        return { contentType: "text/plain", data: new TextEncoder().encode(serviceId) };
      },
    });
    const server = await startCallServer([document]);
    const answer = await rest(server, "GET", "/docs/services/crm.v2.json");
    expect(answer).toMatchObject({ status: 200, text: "crm.v2" });
    expect(answer.headers.get("content-type")).toBe("text/plain");
    expect(answer.headers.get("etag")).toBe('"1"');
  });

  it("answer HEAD where they answer GET", async () => {
    const server = await startCallServer([account]);
    expect(await rest(server, "HEAD", "/v1/me", { token: "session" })).toMatchObject({
      status: 200,
      text: "",
    });
  });

  it("percent-decode path values", async () => {
    const server = await startCallServer([account]);
    const answer = await rest(server, "DELETE", "/v1/keys/a%2Fb%20%C3%A4", { token: "session" });
    expect(answer.body).toMatchObject({ id: "a/b ä" });
  });

  it("give the handler principal, request context and protocol", async () => {
    const server = await startCallServer([account]);
    const answer = await rest(server, "GET", "/v1/me", { token: "session" });
    expect(answer.body).toMatchObject({ id: "session", email: "rest", name: "127.0.0.1" });
  });

  it("abort the handler's signal when the caller hangs up", async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const service = partialService(AccountService, {
      getMe: async (_request, { signal }) => {
        started.resolve(signal);
        await once(signal, "abort");
        return {};
      },
    });
    const server = await startCallServer([service]);
    const caller = new AbortController();
    const headers = { authorization: "Bearer session" };
    const call = fetch(`${server.origin}/v1/me`, { headers, signal: caller.signal });
    const signal = await started.promise;
    expect(signal.aborted).toBe(false);
    caller.abort();
    await expect(call).rejects.toThrow("aborted");
    expect(await server.accessLine()).toMatchObject({ status: 499, route: "/v1/me" });
    expect(signal.aborted).toBe(true);
  });
});

describe("REST bodies", () => {
  it.each(["application/json", "application/json; charset=UTF-8", "application/merge-patch+json"])(
    "are read as %s",
    async (contentType) => {
      const server = await startCallServer([account]);
      const headers = { "content-type": contentType };
      const answer = await rest(server, "PATCH", "/v1/keys/key_1", {
        token: "session",
        body: "{}",
        headers,
      });
      expect(answer).toMatchObject({ status: 200, body: { id: "key_1" } });
    },
  );

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "junk",
    "",
  ])("are refused with the content type %j", async (contentType) => {
    const server = await startCallServer([account]);
    const headers = { "content-type": contentType };
    const answer = await rest(server, "POST", "/v1/keys", {
      token: "session",
      body: "{}",
      headers,
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "content-type" },
    });
  });

  it.each(["{", "{} {}", "{'a': 1}", "NaN", '{"name": "\u0000"}', '{"a": 01}'])(
    "are refused when they are no JSON: %j",
    async (body) => {
      const server = await startCallServer([account]);
      const answer = await rest(server, "POST", "/v1/keys", { token: "session", body });
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      expect(answer.body).not.toHaveProperty("param");
    },
  );

  it("are refused when they are no UTF-8", async () => {
    const server = await startCallServer([account]);
    const headers = { authorization: "Bearer session", "content-type": "application/json" };
    const body = Buffer.from('{"name": "\xff"}', "latin1");
    const answer = await fetch(`${server.origin}/v1/keys`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
  });

  it.each([
    ["100,000 brackets", "[".repeat(100_000), undefined],
    ["a field of 100 lists", `{"name": ${"[".repeat(100)}${"]".repeat(100)}}`, "name"],
  ])("are refused when they nest too deep: %s", async (_, body, param) => {
    const server = await startCallServer([account]);
    const answer = await rest(server, "POST", "/v1/keys", { token: "session", body });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: "invalid_request", ...(param && { param }) },
    });
  });

  it("may be absent or empty where nothing in them is required", async () => {
    const server = await startCallServer([account]);
    const headers = { "content-type": "application/json" };
    expect((await rest(server, "POST", "/v1/keys", { token: "session" })).status).toBe(201);
    expect((await rest(server, "POST", "/v1/keys", { token: "session", headers })).status).toBe(
      201,
    );
  });

  it("are ignored by operations that take none, whatever they are", async () => {
    const server = await startCallServer([account, upstream]);
    const headers = { "content-type": "application/json" };
    const signOut = await rest(server, "POST", "/v1/sign_out", {
      token: "session",
      body: "{",
      headers,
    });
    expect(signOut).toMatchObject({ status: 200, body: { ok: true } });
    const text = { "content-type": "text/plain" };
    const remove = await rest(server, "DELETE", "/v1/upstreams/a", {
      token: "writer",
      body: "x",
      headers: text,
    });
    expect(remove.status).toBe(204);
  });

  it("are read to their end when they are too large, for clients that write before they read", async () => {
    const server = await startCallServer([account]);
    const { hostname, port } = new URL(server.origin);
    const socket = connect(Number(port), hostname);
    const head = "POST /v1/keys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer session\r\n";
    socket.write(
      `${head}content-type: application/json\r\ncontent-length: ${8 * mebibyte}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(8 * mebibyte));
    socket.write("GET /v1/me HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 401"]);
  });

  it("may have one mebibyte, on some operations more", async () => {
    const document = partialService(DocumentService, {
      learnService: ({ capture }) => ({ title: String(capture?.data.length) }),
    });
    const server = await startCallServer([account, document]);
    const body = { name: "x".repeat(mebibyte) };
    const tooLarge = await rest(server, "POST", "/v1/keys", { token: "session", body });
    expect(tooLarge).toMatchObject({
      status: 413,
      body: {
        error: "request_too_large",
      },
    });
    const har = { log: "x".repeat(mebibyte) };
    const size = JSON.stringify(har).length.toString();
    const path = "/v1/admin/services/crm/traffic";
    const accepted = await rest(server, "POST", path, { token: "operator", body: har });
    expect(accepted).toMatchObject({ status: 200, body: { title: size } });
    const headers = { "content-type": "text/plain" };
    const refused = await rest(server, "POST", path, { token: "operator", body: har, headers });
    expect(refused).toMatchObject({ status: 400, body: { param: "content-type" } });
  });
});

describe("REST refusals", () => {
  it("are the flat error body", async () => {
    const server = await startCallServer([upstream]);
    const headers = { "x-request-id": "trace.1_A-z" };
    const answer = await rest(server, "DELETE", "/v1/upstreams/gone", { token: "writer", headers });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-request-id")).toBe("trace.1_A-z");
    expect(answer.body).toEqual({
      error: "not_found",
      message: expect.stringMatching(/\.$/),
      doc_url: "https://gateway.test/docs/errors#not_found",
      request_id: "trace.1_A-z",
    });
  });

  it("tell clients not to repeat a 409, and when to repeat a 429", async () => {
    const server = await startCallServer([account]);
    const conflict = await rest(server, "POST", "/v1/sign_in", {
      body: { email: "a@example.org" },
    });
    expect(conflict).toMatchObject({
      status: 409,
      body: { error: "conflict", suggestions: ["other"] },
    });
    expect(conflict.headers.get("x-should-retry")).toBe("false");
    const limited = await rest(server, "POST", "/v1/sign_in", {
      body: { email: "late@example.org" },
    });
    expect(limited.status).toBe(429);
    expect(limited.headers.get("retry-after")).toBe("9");
  });

  it("[code.internal] say nothing of an error that nobody foresaw, and log it", async () => {
    const server = await startCallServer([account]);
    const answer = await rest(server, "POST", "/v1/sign_in", {
      body: { email: "crash@example.org" },
    });
    expect(answer).toMatchObject({ status: 500, body: { error: "internal_error" } });
    expect(answer.text).not.toContain("secret detail");
    await server.accessLine();
    expect(JSON.stringify(server.logLines())).toContain("secret detail");
  });

  it("come in order: 401, 403, then 400", async () => {
    const server = await startCallServer([account, upstream]);
    const body = "{";
    const cases = [
      await rest(server, "POST", "/v1/keys", { body }),
      await rest(server, "POST", "/v1/keys", { body, token: "junk" }),
      await rest(server, "POST", "/v1/keys", { body, token: "writer" }),
      await rest(server, "POST", "/v1/upstreams", { body, token: "reader" }),
      await rest(server, "POST", "/v1/upstreams", { body, token: "writer" }),
      await rest(server, "POST", "/v1/keys", { body: "x".repeat(2 * mebibyte) }),
    ];
    expect(cases.map(({ status }) => status)).toEqual([401, 401, 403, 403, 400, 401]);
  });

  it("tell an unknown path from a wrong method", async () => {
    const server = await startCallServer([account, upstream]);
    const unknown = await rest(server, "POST", "/v1/nowhere?x=1", { body: "{" });
    expect(unknown).toMatchObject({ status: 404, body: { error: "not_found" } });
    const wrong = await rest(server, "PUT", "/v1/keys/key_1?x=1", { body: "{" });
    expect(wrong).toMatchObject({ status: 405, body: { error: "invalid_request" } });
    expect(wrong.headers.get("allow")).toBe("DELETE, PATCH");
    const list = await rest(server, "PATCH", "/v1/keys");
    expect(list.headers.get("allow")).toBe("GET, HEAD, POST");
  });

  it("cover paths that cannot be routed", async () => {
    const server = await startCallServer([account]);
    const malformed = await rest(server, "DELETE", "/v1/keys/%zz", { token: "session" });
    expect(malformed).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(malformed.headers.get("x-request-id")).toMatch(/^req_/);
    const long = await rest(server, "DELETE", `/v1/keys/${"x".repeat(3000)}`, { token: "session" });
    expect(long).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("name the field that breaks a rule of the proto file", async () => {
    const server = await startCallServer([account]);
    const limit = await rest(server, "GET", "/v1/keys?limit=101", { token: "session" });
    expect(limit).toMatchObject({
      status: 400,
      body: { error: "invalid_request", param: "limit" },
    });
    const body = { name: "   " };
    const blank = await rest(server, "POST", "/v1/keys", { token: "session", body });
    expect(blank).toMatchObject({ status: 400, body: { param: "name" } });
    const nul = await rest(server, "POST", "/v1/keys", {
      token: "session",
      body: { team_id: "a\0b" },
    });
    expect(nul).toMatchObject({ status: 400, body: { param: "team_id" } });
    const twice = { scopes: ["teams:read", "teams:read"] };
    const unique = await rest(server, "POST", "/v1/keys", { token: "session", body: twice });
    expect(unique).toMatchObject({ status: 400, body: { param: "scopes" } });
  });

  it("survive a caller who closes in the middle of a body", async () => {
    const server = await startCallServer([account]);
    const { hostname, port } = new URL(server.origin);
    const socket = connect(Number(port), hostname);
    socket.write("POST /v1/keys HTTP/1.1\r\nhost: a\r\nauthorization: Bearer session\r\n");
    socket.write("content-type: application/json\r\ncontent-length: 100\r\n\r\n{", () =>
      socket.destroy(),
    );
    expect(await server.accessLine()).toMatchObject({ status: 499 });
    expect((await rest(server, "GET", "/v1/me", { token: "session" })).status).toBe(200);
  });
});

describe("REST routes of a service", () => {
  it("fail the start when a method has no implementation", async () => {
    const service = { service: TeamService, implementation: {} };
    await expect(startCallServer([service as never])).rejects.toThrow(
      "ListTeams is not implemented",
    );
  });
});
