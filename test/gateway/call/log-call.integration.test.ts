/** What is kept of a model call, and the id that its answer names it by. */
import { describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { startModelApp } from "../model-app.ts";

const path = "/v1/chat/completions";
const body = { model: "custom/acme/m", messages: [{ role: "user", content: "hello" }] };
const usage = { prompt_tokens: 7, completion_tokens: 3 };
const answer = json({ id: "c", object: "chat.completion", choices: [], usage });

describe("a call that was let in", () => {
  it("[calls.header] is named in its answer, and kept by that id with all that is known of it", async () => {
    const { app, upstream } = await startAppWithUpstream();
    const { principal } = app;
    app.setKey({ principal, tags: { team: "core" } });
    upstream.play(answer);
    const headers = { "x-svc-tags": "project=alpha, team=mine" };
    const { headers: answered } = await call(app, path, body, headers);
    await expect.poll(() => app.kept).toHaveLength(1);
    expect(app.kept[0]).toMatchObject({
      id: answered["x-svc-call"],
      requestId: answered["x-request-id"],
      accountId: app.principal.accountId,
      keyId: app.principal.keyId,
      dialect: "chat",
      operation: "createChatCompletion",
      model: "custom/acme/m",
      target: "custom/acme/m",
      route: "byo",
      lane: "pass_through",
      isStream: false,
      status: 200,
      attempts: [{ target: "custom/acme/m", status: 200 }],
      tags: { project: "alpha", team: "core" },
      use: { inputTokens: 7, outputTokens: 3, isEstimated: false },
    });
  });

  it("[calls.header] is kept when its body is refused", async () => {
    const { app } = await startAppWithUpstream();
    const { status, headers } = await call(app, path, { messages: [] });
    expect(status).toBe(400);
    await expect.poll(() => app.kept).toHaveLength(1);
    expect(app.kept[0]).toMatchObject({
      id: headers["x-svc-call"],
      status: 400,
      errorCode: "invalid_request",
      model: undefined,
      target: undefined,
      attempts: [],
      use: undefined,
    });
  });

  it.each([
    [
      "/v1/responses",
      { model: "custom/acme/m", input: "hello", previous_response_id: "resp_unknown" },
      "previous_response_not_found",
    ],
    ["/v1/messages", { ...body, max_tokens: 9, thread: {} }, "thread_unsupported_request"],
  ])("is logged with the error code that its caller saw on %s", async (to, sent, code) => {
    const { app } = await startAppWithUpstream();
    const { status, text: refused } = await call(app, to, sent);
    expect(status).toBe(400);
    expect(refused).toContain(code);
    await expect.poll(() => app.kept).toHaveLength(1);
    expect(app.kept[0]).toMatchObject({ status: 400, errorCode: code });
  });

  it("is kept when its upstream fails, with what the upstream said", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(json({ error: { message: "no" } }, 503));
    await call(app, path, body);
    await expect.poll(() => app.kept).toHaveLength(1);
    expect(app.kept[0]).toMatchObject({
      status: 503,
      target: "custom/acme/m",
      attempts: [{ status: 503 }],
      use: undefined,
    });
  });

  it("is kept with what transcoding lost", async () => {
    const { app, upstream } = await startAppWithUpstream();
    upstream.play(answer);
    await call(app, "/v1/messages", { ...body, max_tokens: 5, top_k: 3 });
    await expect.poll(() => app.kept).toHaveLength(1);
    expect(app.kept[0]?.lane).toBe("transcode");
    expect(app.kept[0]?.warnings).toContainEqual(expect.stringMatching(/^top_k;dropped;/));
  });
});

describe("a call that was not let in", () => {
  it.each([
    ["without the scope", { scopes: new Set<never>() }, {}, 403],
    ["with a bad tag", undefined, { "x-svc-tags": "no value" }, 400],
  ])("[calls.header] %s has no id, and is not kept", async (_what, principal, headers, status) => {
    const { app } = await startAppWithUpstream();
    if (principal !== undefined) app.setKey({ principal: { ...app.principal, ...principal } });
    const refused = await call(app, path, body, headers);
    expect([refused.status, refused.headers["x-svc-call"]]).toEqual([status, undefined]);
    expect(app.kept).toEqual([]);
  });
});

describe("an own route that stalls in the middle of its error", () => {
  it("is left for the next", async () => {
    const vendor = { baseUrl: "http://127.0.0.1:1/v1", auth: "bearer", models: ["m"] } as const;
    const catalogue = {
      one: { ...vendor, label: "One", dialects: ["dialect_chat"] as const },
      two: { ...vendor, label: "Two", dialects: ["dialect_chat"] as const },
    };
    const app = await startModelApp({ catalogue, limits: { idleMs: 200, firstByteMs: 200 } });
    const [one, two] = [await startFakeUpstream(answer), await startFakeUpstream(answer)];
    app.addVendor({ id: "one", baseUrl: new URL(`${one.origin}/v1`) });
    app.addVendor({ id: "two", baseUrl: new URL(`${two.origin}/v1`) });
    one.play((response) => response.writeHead(500).write("{"));
    const { status } = await call(app, path, { ...body, model: "m" });
    expect([status, two.requests.length]).toEqual([200, 1]);
  });
});
