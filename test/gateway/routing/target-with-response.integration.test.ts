import { describe, expect, it } from "vitest";
import type { AliasRouting } from "../../../src/domain/alias-target.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type {
  StoredResponseContent,
  StoredResponses,
} from "../../../src/gateway/stored-responses/stored-responses.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { call, catalogue } from "../call.ts";
import { startModelApp } from "../model-app.ts";

const kept = "resp_kept-here";
const question = { role: "user", content: "Hello" };

const turns: StoredResponses = {
  isEnabled: true,
  conversation: async (_account, id) => (id === kept ? [question] : undefined),
  items: async () => new Map<string, JsonObject>(),
  store: async () => undefined,
  has: async (_account, id) => id === kept,
  find: async (_account, id, part) => {
    const content: StoredResponseContent = { input: [], response: { id }, output: [] };
    return id === kept ? content[part] : undefined;
  },
  delete: async () => false,
};

const [keeper, stateless] = [
  { vendor: "code", modelId: "m" },
  { vendor: "custom/acme", modelId: "m" },
] as const;

const rules = { strategy: "order", affinity: "none" } as const;
const aliases: Record<string, AliasRouting> = {
  "keeper-first": { targets: [keeper, stateless], ...rules },
  "keeper-last": { targets: [stateless, keeper], ...rules },
};

const choices = [
  { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" },
];

async function start(status = 200) {
  const app = await startModelApp({ catalogue, aliases, turns });
  const upstream = await startFakeUpstream((response, request) => {
    const isResponses = request.path.endsWith("/responses");
    const answer = isResponses ? { id: "r", object: "response" } : { id: "c", choices };
    return json(answer, isResponses ? status : 200)(response, request);
  });
  const baseUrl = new URL(`${upstream.origin}/v1`);
  app.addVendor({ id: "code", dialects: ["dialect_responses"], baseUrl });
  app.addEndpoint({ baseUrl });
  return app;
}

describe("a call that goes on from a response, with several targets", () => {
  it.each([
    ["the vendor's own", "resp_of-the-vendor", "keeper-last", "code/m"],
    ["the vendor's own", "resp_of-the-vendor", "keeper-first", "code/m"],
    ["one that is kept here", kept, "keeper-first", "custom/acme/m"],
    ["one that is kept here", kept, "keeper-last", "custom/acme/m"],
  ])("[pool.previous] reaches who knows it: %s, %s, %s", async (_whose, id, alias, target) => {
    const app = await start();
    const sent = { model: `@${alias}`, input: "And?", previous_response_id: id };
    const answer = await call(app, "/v1/responses", sent);
    expect([answer.status, answer.headers["x-svc-target"]]).toEqual([200, target]);
  });

  it("[pool.previous] goes nowhere else when that one fails", async () => {
    const app = await start(503);
    const sent = { model: "@keeper-first", input: "And?", previous_response_id: "resp_other" };
    const answer = await call(app, "/v1/responses", sent);
    expect([answer.status, (await app.record(0)).attempts]).toEqual([503, 1]);
  });
});
