import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { requestContextKey } from "../../../src/platform/request-context.ts";
import { partialService, rest, startCallServer } from "../support/call-server.ts";

/** Answers with what the handler sees of the request. */
const account = partialService(AccountService, {
  getMe: (_request, { values }) => {
    const context = values.get(requestContextKey);
    context?.log.info({ secret: undefined }, "from the handler");
    return { id: context?.requestId ?? "", email: context?.address ?? "" };
  },
});

function callMe(server: Parameters<typeof rest>[0], headers: Record<string, string> = {}) {
  return rest(server, "GET", "/v1/me?code=hidden", { token: "session", headers });
}

describe("a request id", () => {
  it.each(["a", "A1._-", "x".repeat(64)])("of the caller is kept: %s", async (id) => {
    const server = await startCallServer([account]);
    const answer = await callMe(server, { "x-request-id": id });
    expect(answer.headers.get("x-request-id")).toBe(id);
    expect(answer.body).toMatchObject({ id });
  });

  it.each(["", "x".repeat(65), "a b", "ä", "a,b"])(
    "that is not well formed is replaced: %j",
    async (id) => {
      const server = await startCallServer([account]);
      const answer = await callMe(server, { "x-request-id": id });
      expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);
    },
  );

  it("is on answers to paths that do not exist", async () => {
    const server = await startCallServer([account]);
    const answer = await rest(server, "GET", "/nowhere");
    expect(answer.body).toMatchObject({ request_id: answer.headers.get("x-request-id") });
  });
});

describe("the caller's address", () => {
  const forwarded = { "x-forwarded-for": "198.51.100.7, 10.0.0.9" };

  it("[environment.proxies] is the peer's without a trusted proxy", async () => {
    const server = await startCallServer([account]);
    expect((await callMe(server, forwarded)).body).toMatchObject({ email: "127.0.0.1" });
  });

  it("[environment.proxies] is the first that no trusted proxy has", async () => {
    const server = await startCallServer([account], { trustProxy: ["127.0.0.0/8", "10.0.0.0/8"] });
    expect((await callMe(server, forwarded)).body).toMatchObject({ email: "198.51.100.7" });
    const spoofed = { "x-forwarded-for": "192.0.2.1, 198.51.100.7, 10.0.0.9" };
    expect((await callMe(server, spoofed)).body).toMatchObject({ email: "198.51.100.7" });
  });

  it("is the peer's when the proxy sent no address", async () => {
    const server = await startCallServer([account], { trustProxy: ["127.0.0.0/8"] });
    const junk = await callMe(server, { "x-forwarded-for": "<script>" });
    expect(junk.body).toMatchObject({ email: "127.0.0.1" });
    const mapped = await callMe(server, { "x-forwarded-for": "::ffff:198.51.100.7" });
    expect(mapped.body).toMatchObject({ email: "198.51.100.7" });
  });
});

describe("the access log", () => {
  it("has one line per request, without secrets", async () => {
    const server = await startCallServer([account]);
    await callMe(server, { "x-request-id": "trace-1", cookie: "causeway_session=hidden" });
    const line = await server.accessLine();
    expect(line).toMatchObject({
      request_id: "trace-1",
      method: "GET",
      route: "/v1/me",
      procedure: "causeway.account.v1.AccountService/GetMe",
      status: 200,
      address: "127.0.0.1",
      principal: "session",
      account_id: "user_1",
      session_id: "session_1",
    });
    expect(line["duration_ms"]).toBeGreaterThan(0);
    expect(JSON.stringify(server.logLines())).not.toContain("hidden");
    expect(server.logLines()).toContainEqual(
      expect.objectContaining({ msg: "from the handler", request_id: "trace-1" }),
    );
  });

  it("names the refusal and who was refused", async () => {
    const server = await startCallServer([account]);
    await rest(server, "GET", "/v1/me", { token: "writer" });
    expect(await server.accessLine()).toMatchObject({
      status: 403,
      error: "insufficient_scope",
      principal: "key",
      key_id: "key_1",
    });
  });

  it("names refusals that come before any handler", async () => {
    const server = await startCallServer([account]);
    await rest(server, "GET", "/nowhere/secret-path");
    const line = await server.accessLine();
    expect(line).toMatchObject({ status: 404, error: "not_found" });
    expect(JSON.stringify(line)).not.toContain("secret-path");
  });
});
