import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

const origin = "https://app.example.org";
const chat = "/v1/chat/completions";
const call = { model: "custom/box/m", messages: [] };

let causeway: TestInstance;
let plain: TestInstance;
let upstream: LoopbackUpstream;
let token: string;

beforeAll(async () => {
  upstream = await startLoopbackUpstream(["m"]);
  plain = await startTestInstance();
  causeway = await startTestInstance({
    file: { cors: { origins: [origin, "http://localhost:3000"] } },
  });
  const user = await causeway.createUser();
  const body = { label: "Box", base_url: upstream.baseUrl, api_key: "k" };
  await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  token = (await user.createKey()).secret;
});

afterAll(async () => {
  await causeway.close();
  await plain.close();
  await upstream.close();
});

/** Headers of the CORS protocol in an answer, as the Fetch standard names them. */
function corsOf(headers: Headers): Record<string, string> {
  const prefix = "access-control-";
  return Object.fromEntries(
    [...headers].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}

function preflight(path: string, method = "POST", headers: Record<string, string> = {}) {
  return causeway.call("OPTIONS", path, {
    headers: { origin, "access-control-request-method": method, ...headers },
  });
}

describe("a page of an origin of cors.origins", () => {
  it.each<[string, string, { readonly body?: unknown }, number]>([
    ["POST", chat, { body: call }, 200],
    ["POST", chat, { body: { ...call, model: "none" } }, 403],
    ["GET", "/v1/models", {}, 200],
    ["POST", "/causeway.model.v1.ModelService/ListModels", { body: {} }, 200],
    ["GET", "/v1/responses/resp_none", {}, 404],
    ["GET", "/v1/nothing", {}, 404],
    ["GET", "/openapi.json", {}, 200],
  ])("[clients.cors] reads the answer to %s %s", async (method, path, options, status) => {
    const answer = await causeway.call(method, path, { ...options, token, headers: { origin } });
    expect(answer.status).toBe(status);
    const {
      "allow-origin": allowed,
      "expose-headers": exposed = "",
      ...rest
    } = corsOf(answer.headers);
    expect([allowed, rest]).toEqual([origin, {}]);
    expect(exposed.split(", ")).toEqual(
      expect.arrayContaining(["x-svc-route-used", "x-svc-warnings", "x-request-id", "retry-after"]),
    );
    expect(exposed.split(", ")).toEqual(
      expect.arrayContaining(["ratelimit", "ratelimit-policy", "etag"]),
    );
    expect(answer.headers.get("vary")).toBe("origin");
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("reads a refusal of its credential", async () => {
    const answer = await causeway.call("POST", chat, { body: call, headers: { origin } });
    expect([answer.status, corsOf(answer.headers)["allow-origin"]]).toEqual([401, origin]);
  });

  it("[clients.cors] is asked for no credential before its call", async () => {
    const asked = "authorization,content-type,x-svc-route";
    const answer = await preflight(chat, "POST", { "access-control-request-headers": asked });
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect(corsOf(answer.headers)).toEqual({
      "allow-origin": origin,
      "allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "allow-headers": asked,
      "max-age": "600",
    });
    expect(answer.headers.get("vary")).toBe("origin, access-control-request-headers");
    expect((await preflight("/v1/upstreams/box", "PATCH")).status).toBe(204);
    expect((await preflight("/v1/wallet", "GET")).status).toBe(204);
  });

  it.each([
    ["POST", "/v1/sign_in"],
    ["POST", "/v1/sign_in/finish"],
    ["POST", "/causeway.account.v1.AccountService/StartSignIn"],
    ["GET", "/sign_in"],
    ["GET", "/invites/inv_x"],
    ["POST", "/v1/sign_out"],
    ["GET", "/v1/me"],
    ["DELETE", "/v1/sessions/session_x"],
    ["GET", "/v1/keys"],
    ["POST", "/v1/keys/key_x/rotate"],
    ["POST", "/causeway.account.v1.AccountService/CreateKey"],
    ["GET", "/v1/audit"],
    ["GET", "/v1/admin/users"],
    ["POST", "/v1/admin/users/user_x/credits"],
    ["POST", "/causeway.admin.v1.AdminService/ListUsers"],
    ["POST", "/causeway.wallet.v1.WalletService/AddUserCredits"],
  ])("[clients.cors-closed] reads nothing of %s %s, which takes no key", async (method, path) => {
    const answer = await causeway.call(method, path, {
      token,
      headers: { origin },
      ...(method === "POST" && { body: {} }),
    });
    expect(corsOf(answer.headers)).toEqual({});
    const asked = await preflight(path, method);
    expect([asked.status, corsOf(asked.headers)]).toEqual([405, {}]);
  });
});

describe("any other page", () => {
  it.each([
    "https://evil.example.org",
    "https://app.example.org.evil.org",
    "null",
    "http://app.example.org",
  ])("of %s reads nothing", async (other) => {
    const answer = await causeway.call("POST", chat, {
      token,
      body: call,
      headers: { origin: other },
    });
    expect([answer.status, corsOf(answer.headers)]).toEqual([200, {}]);
    const asked = await preflight(chat, "POST", { origin: other });
    expect([asked.status, corsOf(asked.headers)]).toEqual([405, {}]);
  });

  it("[clients.cors] reads nothing where no origin is configured, nor on the tools port", async () => {
    const headers = { origin, "access-control-request-method": "POST" };
    for (const url of [`${plain.url}${chat}`, `${causeway.toolsUrl}/tools/runtime_eol`]) {
      const asked = await causeway.call("OPTIONS", url, { headers });
      expect([asked.status, corsOf(asked.headers)]).toEqual([405, {}]);
      expect(asked.headers.get("vary")).toBeNull();
    }
  });

  it("is told apart by caches, and a caller that is no page notices nothing", async () => {
    const listed = await causeway.call("GET", "/v1/models", { token });
    expect([corsOf(listed.headers), listed.headers.get("vary")]).toEqual([{}, "origin"]);
    const answer = await causeway.call("POST", chat, { token, body: call });
    expect([answer.status, corsOf(answer.headers)]).toEqual([200, {}]);
    expect((await causeway.call("OPTIONS", chat)).status).toBe(405);
  });
});
