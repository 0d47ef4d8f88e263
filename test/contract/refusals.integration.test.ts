/** What every refusal has in common, and in which order refusals are found. */
import { Code, ConnectError, createClient, type Client } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorInfoSchema } from "../../gen/ts/causeway/error/v1/error_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { generateCredentialToken } from "../../src/platform/crypto/token.ts";
import { restClient } from "../support/rest-client.ts";
import {
  startTestInstance,
  type RestAnswer,
  type TestInstance,
  type TestUser,
} from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;
let client: Client<typeof UpstreamService>;

beforeAll(async () => {
  causeway = await startTestInstance();
  user = await causeway.createUser();
  const transport = createConnectTransport({ baseUrl: causeway.url, httpVersion: "1.1" });
  client = createClient(UpstreamService, transport);
});

afterAll(() => causeway.close());

describe("refusals are found in this order", () => {
  const wrong = { slug: "nothing", surprise: 1 };

  it("[order.401] 401 before everything else", async () => {
    expect(await patch(undefined, wrong)).toMatchObject({ status: 401 });
    expect(await patch("junk", wrong)).toMatchObject({ status: 401 });
  });

  it("[order.403] 403 before 400 and 404", async () => {
    const { secret } = await user.createKey({ scopes: ["endpoints:read"] });
    expect(await patch(secret, wrong)).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope" },
    });
  });

  it("[order.400] 400 before 404", async () => {
    expect(await patch(user.session, wrong)).toMatchObject({ status: 400 });
  });

  it("404 at last", async () => {
    expect(await patch(user.session, {})).toMatchObject({ status: 404 });
  });

  it("[error.409] [order.409] 404 before 409", async () => {
    const { id } = await user.createKey();
    await causeway.call("DELETE", `/v1/keys/${id}`, { token: user.session });
    const stranger = await causeway.createUser();
    const path = `/v1/keys/${id}/rotate`;
    const foreign = await causeway.call("POST", path, { token: stranger.session });
    expect(foreign).toMatchObject({ status: 404, body: { error: "not_found" } });
    const own = await causeway.call("POST", path, { token: user.session });
    expect(own).toMatchObject({ status: 409, body: { error: "conflict" } });
  });
});

describe("a refusal", () => {
  it("[error-body.flat] [published.errors] carries code, message, doc_url and request_id, and param where a field is to blame", async () => {
    const body = { label: "x", base_url: "http://169.254.169.254", api_key: "k" };
    const answer = await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.body).toEqual({
      error: "invalid_request",
      message: expect.stringContaining("169.254.169.254"),
      param: "base_url",
      doc_url: `${causeway.url}/docs/errors#invalid_request`,
      request_id: answer.headers.get("x-request-id"),
    });
  });

  it.each([
    ["GET", "/v1/keys"],
    ["GET", "/v1/admin/users"],
    ["POST", "/v1/chat/completions"],
    ["POST", "/v1/responses"],
    ["POST", "/v1/messages"],
    ["POST", "/causeway.account.v1.AccountService/GetMe"],
  ])("of 401 on %s %s says which credential is wanted", async (method, path) => {
    const body = method === "POST" ? {} : undefined;
    for (const token of [undefined, "junk"]) {
      const answer = await causeway.call(method, path, { token, body });
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });

  it("[retry.409] of 409 tells client libraries not to repeat it", async () => {
    const body = { email: user.email };
    const answer = await causeway.call("POST", "/v1/admin/users", {
      token: causeway.adminToken,
      body,
    });
    expect(answer).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect(answer.headers.get("x-should-retry")).toBe("false");
  });

  it.each(["/v1/nothing", "/nothing", "/v1/keys/", "/v1/teams/"])(
    "[code.path] of the unknown path %s is 404",
    async (path) => {
      const answer = await causeway.call("GET", path, { token: user.session });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    },
  );

  it.each([
    ["PUT", "/v1/keys", "GET, HEAD, POST"],
    ["POST", "/v1/keys/key_1", "PATCH, DELETE"],
    ["DELETE", "/v1/me", "GET, HEAD"],
  ])(
    "[code.method] of the wrong method %s %s is 405 and names the right ones",
    async (method, path, allow) => {
      const answer = await causeway.call(method, path, { token: user.session });
      expect(answer).toMatchObject({ status: 405, body: { error: "invalid_request" } });
      const named = answer.headers.get("allow")?.split(", ");
      expect(named?.toSorted()).toEqual(allow.split(", ").toSorted());
    },
  );

  const chatForm = ({ error }: RestAnswer["body"]) => [error.code, error.request_id, error.type];
  const messagesForm = ({ error, request_id }: RestAnswer["body"]) => [
    error.details.error_code,
    request_id,
    error.type,
  ];
  const wrongType = "invalid_request_error";
  it.each([
    ["GET", "/v1/chat/completions", 405, "invalid_request", wrongType, chatForm],
    ["PUT", "/v1/responses", 405, "invalid_request", wrongType, chatForm],
    ["DELETE", "/v1/embeddings", 405, "invalid_request", wrongType, chatForm],
    ["GET", "/v1/messages?beta=true", 405, "invalid_request", wrongType, messagesForm],
    ["POST", "/v1/chat/completions/x", 404, "not_found", wrongType, chatForm],
    ["POST", "/v1/responses/x/y/z", 404, "not_found", wrongType, chatForm],
    ["POST", "/v1/messages/", 404, "not_found", "not_found_error", messagesForm],
  ])(
    "[error.dialect] [embeddings.same-rules] of %s %s is %d in the dialect of the path",
    async (method, path, status, code, type, read) => {
      const answer = await causeway.call(method, path);
      const id = answer.headers.get("x-request-id");
      expect(answer.status).toBe(status);
      expect(read(answer.body)).toEqual([code, id, type]);
      expect(answer.headers.get("request-id")).toBe(id);
      expect(answer.headers.get("allow")).toBe(status === 405 ? "POST" : null);
      expect(answer.body.error.message).toMatch(/\.$/);
    },
  );

  it("of a path that only begins like a model call's is flat", async () => {
    for (const path of ["/v1/messagesx", "/v1/chat", "/v1"]) {
      const answer = await causeway.call("POST", path);
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "[service.json] [code.content-type] with the content type %s is 400",
    async (type) => {
      const response = await fetch(`${causeway.url}/v1/keys`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.session}`, "content-type": type },
        body: "{}",
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: "invalid_request" });
    },
  );

  it.each(["", "{", "[]", "null", '"text"', "{} {}", '{"name": "\u0000"}', "{'name': 1}"])(
    "[service.json] [error.400] with the body %j is 400",
    async (body) => {
      const response = await fetch(`${causeway.url}/v1/upstreams`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.session}`, "content-type": "application/json" },
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: "invalid_request" });
    },
  );

  it("[code.too-large] of a body over 1 MiB on an ordinary operation is 413", async () => {
    const body = { name: "x".repeat(1024 * 1024) };
    const answer = await causeway.call("POST", "/v1/keys", { token: user.session, body });
    expect(answer).toMatchObject({ status: 413, body: { error: "request_too_large" } });
  });
});

describe("a bad value is named", () => {
  const rate = { requests_per_minute: 1, burst: 1 };
  it.each<[string, Record<string, unknown>]>([
    ["surprise", { surprise: 1 }],
    ["allowedModels", { allowedModels: [] }],
    ["name", { name: 7 }],
    ["name", { name: null }],
    ["name", { name: "  " }],
    ["name", { name: "n".repeat(201) }],
    ["scopes", { scopes: "teams:read" }],
    ["scopes[1]", { scopes: ["teams:read", "teams:own"] }],
    ["scopes[0]", { scopes: [null] }],
    ["route", { route: "ROUTE_BYO" }],
    ["route", { route: 1 }],
    ["budget.window", { budget: { limit_usd: 1 } }],
    ["budget.window", { budget: { limit_usd: 1, window: "week" } }],
    ["budget.spent_usd", { budget: { limit_usd: 1, window: "day", spent_usd: 0 } }],
    ["budget.limit_usd", { budget: { limit_usd: "1", window: "day" } }],
    ["budget.limit_usd", { budget: { limit_usd: 1.0000000001, window: "day" } }],
    ["rate_limit.burst", { rate_limit: { ...rate, burst: 0 } }],
    ["rate_limit.burst", { rate_limit: { ...rate, burst: 1.5 } }],
    ["rate_limit.concurrent_requests", { rate_limit: { ...rate, concurrent_requests: null } }],
    ["rate_limit.surprise", { rate_limit: { ...rate, surprise: 1 } }],
    ["expires_at", { expires_at: "tomorrow" }],
    ["expires_at", { expires_at: 1_900_000_000 }],
    ["allowed_models[0]", { allowed_models: [""] }],
    ["allowed_models[1]", { allowed_models: ["********", "*********"] }],
  ])(
    "[error.param] [input.wrong-type] creating a key answers 400 and names %s: %j",
    async (param, body) => {
      const answer = await causeway.call("POST", "/v1/keys", { token: user.session, body });
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", param } });
    },
  );

  it("[input.query] and an unknown query parameter is not", async () => {
    const answer = await causeway.call("GET", "/v1/me?surprise=1", { token: user.session });
    expect(answer.status).toBe(200);
  });
});

describe("a credential", () => {
  it("[auth.headers] [refused.two-headers] may stand in both headers if they say the same", async () => {
    const { secret } = await user.createKey({ scopes: ["endpoints:read"] });
    const bearer = `Bearer ${secret}`;
    expect((await listUpstreams({ "x-api-key": secret })).status).toBe(200);
    expect((await listUpstreams({ authorization: bearer })).status).toBe(200);
    expect((await listUpstreams({ authorization: bearer, "x-api-key": secret })).status).toBe(200);
    const differing = await listUpstreams({
      authorization: bearer,
      "x-api-key": generateCredentialToken("cwk"),
    });
    expect(differing).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  });

  it.each([
    ["REST", "GET", "/v1/upstreams", "/v1/me", "/v1/admin/users"],
    [
      "Connect",
      "POST",
      "/causeway.upstream.v1.UpstreamService/ListUpstreams",
      "/causeway.account.v1.AccountService/GetMe",
      "/causeway.admin.v1.AdminService/ListUsers",
    ],
  ])(
    "[identity.x-api-key] in x-api-key is a caller key or 401, over %s",
    async (_name, method, ...paths) => {
      const body = method === "POST" ? {} : undefined;
      for (const secret of [user.session, causeway.adminToken]) {
        for (const path of paths) {
          const headers = { "x-api-key": secret };
          const answer = await causeway.call(method, path, { headers, body });
          const message = expect.stringContaining("`x-api-key`");
          expect([path, answer]).toMatchObject([path, { status: 401, body: { message } }]);
        }
      }
    },
  );

  it("[identity.x-api-key] in x-api-key of a model call is a caller key or 401", async () => {
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens"]) {
      const headers = { "x-api-key": user.session };
      const answer = await causeway.call("POST", path, { headers, body: {} });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  it.each([
    "junk",
    "cwk_",
    generateCredentialToken("cwk"),
    generateCredentialToken("cws"),
    "cwa_wrong",
  ])("[refused.operator-token] [error.401] that is unknown is 401: %s", async (token) => {
    for (const path of ["/v1/upstreams", "/v1/keys", "/v1/admin/users"]) {
      const answer = await causeway.call("GET", path, { token });
      expect(answer).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    }
  });

  it.each(["Basic abc", "Bearer", "Bearer a b", "Token abc"])(
    "[auth.unknown] that is malformed is 401: %s",
    async (authorization) => {
      const answer = await causeway.call("GET", "/v1/me", { headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    },
  );

  it("[refused.not-read] is not read where none is needed", async () => {
    const headers = { authorization: "Basic nonsense", "x-api-key": "other" };
    const body = { email: "nobody@example.com" };
    const answer = await causeway.call("POST", "/v1/sign_in", { headers, body });
    expect(answer.status).toBe(200);
    for (const path of ["/openapi.json", "/docs/errors", "/healthz", "/sign_in"]) {
      expect((await causeway.call("GET", path, { headers })).status).toBe(200);
    }
  });

  it("[refused.key-on-session-route] [error.403-scope] of one kind is 403 where another kind is needed", async () => {
    const { secret } = await user.createKey();
    for (const [path, token] of [
      ["/v1/keys", secret],
      ["/v1/me", causeway.adminToken],
      ["/v1/admin/users", secret],
      ["/v1/admin/users", user.session],
      ["/v1/upstreams", causeway.adminToken],
    ] as const) {
      const answer = await causeway.call("GET", path, { token });
      expect(answer).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
    }
  });
});

describe("a request id", () => {
  it("[identity.ids] [request-id.everywhere] is on successes and refusals alike, on both ports", async () => {
    for (const url of [causeway.url, causeway.toolsUrl]) {
      for (const path of ["/healthz", "/nothing"]) {
        const { headers } = await restClient(url)("GET", path);
        expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
      }
    }
  });

  it.each(["a", "A.b_c-9", "x".repeat(64)])(
    "[request-id.kept] of the caller is kept: %s",
    async (id) => {
      const headers = { "x-request-id": id };
      const answer = await causeway.call("GET", "/v1/me", { headers });
      expect(answer.headers.get("x-request-id")).toBe(id);
      expect(answer.body.request_id).toBe(id);
    },
  );

  it.each(["x".repeat(65), "a b", "a/b"])(
    "[request-id.kept] of another form is replaced: %s",
    async (id) => {
      const answer = await causeway.call("GET", "/v1/me", { headers: { "x-request-id": id } });
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    },
  );

  it("[request-id.correlation] deduplicates nothing", async () => {
    const headers = { "x-request-id": "same" };
    const make = () =>
      causeway.call("POST", "/v1/keys", { token: user.session, body: {}, headers });
    const [first, second] = [await make(), await make()];
    expect(first.body.key.id).not.toBe(second.body.key.id);
  });
});

describe("over Connect", () => {
  it("[connect.codes] a refusal has the code of its status and the detail of its body", async () => {
    const call = client.probeUpstream({ slug: "nothing" }, { headers: asSession() });
    const error = await refusalOf(call);
    expect(error.code).toBe(Code.NotFound);
    expect(error.findDetails(ErrorInfoSchema)[0]).toMatchObject({
      code: "not_found",
      requestId: error.metadata.get("x-request-id"),
    });
  });

  it("the param of a refusal is spelled as over REST", async () => {
    const request = { label: "x", baseUrl: "http://169.254.169.254", apiKey: "k" };
    const call = client.createUpstream(request, { headers: asSession() });
    const error = await refusalOf(call);
    expect(error.code).toBe(Code.InvalidArgument);
    expect(error.findDetails(ErrorInfoSchema)[0]).toMatchObject({ param: "base_url" });
  });

  it("[input.connect] an unknown field is ignored", async () => {
    const answer = await causeway.call(
      "POST",
      "/causeway.upstream.v1.UpstreamService/ListUpstreams",
      { token: user.session, body: { surprise: 1, limit: 1 } },
    );
    expect(answer).toMatchObject({ status: 200, body: { object: "list" } });
  });
});

function patch(token: string | undefined, body: unknown): Promise<RestAnswer> {
  return causeway.call("PATCH", "/v1/upstreams/nothing", { token, body });
}

function listUpstreams(headers: Record<string, string>): Promise<RestAnswer> {
  return causeway.call("GET", "/v1/upstreams", { headers });
}

function asSession(): Record<string, string> {
  return { authorization: `Bearer ${user.session}` };
}

function refusalOf(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => expect.fail("Connect let it in."),
    (reason: unknown) => ConnectError.from(reason),
  );
}
