import { createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Dialect } from "../../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  CallerStyle,
  TranscodeService,
} from "../../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import { createReasoningEnvelopeSealer } from "../../../src/dialect/signed-envelope.ts";
import { SummarySealer } from "../../../src/gateway/stored-responses/summary-seal.ts";
import { ReasoningCache } from "../../../src/gateway/transcode/reasoning-cache.ts";
import type { CallableVendor } from "../../../src/domain/callable-vendor.ts";
import type { CallerKey } from "../../../src/domain/caller-key.ts";
import { createTranscodePreviewRpc } from "../../../src/gateway/rpc/transcode.rpc.ts";
import { Secret } from "../../../src/platform/crypto/secret.ts";

const accountId = "user_00000000000000000000000000";

const vendor: CallableVendor = {
  id: "openai",
  label: "OpenAI",
  accountId,
  dialects: ["dialect_responses", "dialect_chat"],
  baseUrl: new URL("https://vendor.example/v1"),
  auth: "bearer",
  token: new Secret("sk-linked"),
  headers: {},
  poolKey: "pool",
  models: undefined,
  isFirstParty: true,
};

const anthropic: CallableVendor = { ...vendor, id: "anthropic", dialects: ["dialect_messages"] };

const key: CallerKey = {
  principal: {
    kind: "key",
    keyId: "key_1",
    accountId,
    userId: accountId,
    teamId: undefined,
    scopes: new Set(["gateway:invoke"]),
  },
  route: "auto",
  mode: "model",
  allowedModels: [],
  rateLimit: undefined,
  budget: undefined,
  tags: undefined,
};

const linked = [vendor, anthropic];

/** The vendors' own servers cannot be stood in for in a configuration file. */
function previewer() {
  const rpc = createTranscodePreviewRpc({
    authenticator: { authenticateModelCall: () => key },
    envelopeOf: (upstream, model) =>
      createReasoningEnvelopeSealer({ key: Buffer.alloc(32), upstream, model }),
    reasoningCache: new ReasoningCache({ now: () => 0 }),
    summaries: new SummarySealer(Buffer.alloc(32)),
    directories: {
      upstreams: { find: () => undefined },
      vendors: {
        has: (id) => linked.some((one) => one.id === id),
        configuredModels: () => [],
        find: (_account, id) => linked.find((one) => one.id === id),
        linked: () => linked,
      },
      aliases: { find: () => undefined },
      catalog: { findById: () => undefined, byVendor: () => undefined },
      modelIds: ({ id }) => (id === "openai" ? ["gpt-5-mini"] : ["claude-opus-4-6"]),
    },
  });
  return createClient(
    TranscodeService,
    createRouterTransport(({ service }) => void service(TranscodeService, rpc)),
  );
}

const question = { role: "user", content: "hello" };

describe("a preview of a first-party vendor", () => {
  it.each(["openai/gpt-5-mini", "gpt-5-mini"])("names the cap as it does (%s)", async (model) => {
    const { body } = await previewer().previewTranscode({
      from: CallerStyle.MESSAGES,
      to: Dialect.CHAT,
      body: { model, max_tokens: 50, temperature: 0.5, messages: [question] },
    });
    expect(body).toEqual({
      model: "gpt-5-mini",
      messages: [question],
      max_completion_tokens: 50,
    });
  });

  it("carries what the vendor's own server has", async () => {
    const { body } = await previewer().previewTranscode({
      from: CallerStyle.CHAT,
      to: Dialect.MESSAGES,
      body: { model: "claude-opus-4-6", web_search_options: {}, messages: [question] },
    });
    expect(body?.["tools"]).toEqual([{ type: "web_search_20250305", name: "web_search" }]);
  });

  it("refuses what a server of which nothing is known may not have", async () => {
    const asked = previewer().previewTranscode({
      from: CallerStyle.CHAT,
      to: Dialect.MESSAGES,
      body: { model: "elsewhere/claude-opus-4-6", web_search_options: {}, messages: [question] },
    });
    await expect(asked).rejects.toThrow("internal");
  });
});
