import { describe, expect, it } from "vitest";
import type { CallControlHeaders } from "../../../src/gateway/admission/control-headers.ts";
import { parseModelReference } from "../../../src/gateway/routing/model-reference.ts";
import {
  planCallTarget,
  type CallableUpstream,
  type CallPlanInput,
} from "../../../src/gateway/routing/plan.ts";
import { Secret } from "../../../src/platform/crypto/secret.ts";
import { ApiError } from "../../../src/platform/errors.ts";

const noControls: CallControlHeaders = {
  route: undefined,
  mode: undefined,
  engine: undefined,
  session: undefined,
  tags: undefined,
  isStrict: false,
};

const base = {
  accountId: "user_1",
  label: "Acme",
  models: [],
  baseUrl: new URL("http://127.0.0.1:1/v1"),
  headers: {},
  poolKey: "p",
};

function custom(dialect: "dialect_chat" | "dialect_messages" = "dialect_chat"): CallableUpstream {
  const told = { modelNames: {}, modelMeta: {}, modelCreated: {}, createdAt: 0 };
  const endpoint = { ...base, ...told, slug: "acme", dialect, apiKey: new Secret("s") };
  return { kind: "custom", endpoint };
}

function vendor(
  id: string,
  ...dialects: ("dialect_chat" | "dialect_responses")[]
): CallableUpstream {
  return {
    kind: "vendor",
    vendor: { ...base, id, dialects, auth: "bearer", token: new Secret("s") },
  };
}

function input(model: string, overrides: Partial<CallPlanInput> = {}): CallPlanInput {
  const reference = parseModelReference(model, (segment) => segment === "bolt");
  if (reference === undefined || reference.kind === "alias") throw new Error("no plain model");
  return {
    dialect: "dialect_chat",
    isConversation: true,
    key: { route: "auto", allowedModels: [] },
    controls: noControls,
    reference,
    accountTargets: [],
    creditsModel: undefined,
    ...overrides,
  };
}

function refusal(
  model: string,
  overrides: Partial<CallPlanInput> = {},
): [string, string | undefined] {
  try {
    planCallTarget(input(model, overrides));
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.param];
    throw error;
  }
  throw new Error("planned");
}

describe("readModelReference()", () => {
  it.each([
    ["agent", { kind: "agent", id: "agent" }],
    ["agent-omni", { kind: "agent", id: "agent-omni" }],
    ["agentic", { kind: "bare", model: "agentic" }],
    ["@fast", { kind: "alias", token: "fast" }],
    ["custom/a/b/c", { kind: "custom", slug: "a", model: "b/c" }],
    ["custom/a", undefined],
    ["custom//b", undefined],
    ["custom/a/", undefined],
    ["bolt/x/y", { kind: "vendor", vendor: "bolt", model: "x/y" }],
    ["bolt/", { kind: "bare", model: "bolt/" }],
    ["bolt", { kind: "bare", model: "bolt" }],
    ["meta-llama/llama-4", { kind: "bare", model: "meta-llama/llama-4" }],
    ["/x", { kind: "bare", model: "/x" }],
  ])("[model-id.vendor] reads %s", (id, reference) => {
    expect(parseModelReference(id, (segment) => segment === "bolt")).toEqual(reference);
  });
});

describe("buildPlan()", () => {
  it("sends a custom model to its endpoint under its own name", () => {
    expect(planCallTarget(input("custom/acme/a/b", { accountTargets: [custom()] }))).toMatchObject({
      lane: "pass-through",
      route: "byo",
      canonicalId: "custom/acme/a/b",
      upstreamModel: "a/b",
    });
  });

  it("takes the first owned target: link order decides, not the dialect", () => {
    const owned = [vendor("one", "dialect_responses"), vendor("two", "dialect_chat")];
    expect(planCallTarget(input("m", { accountTargets: owned }))).toMatchObject({
      canonicalId: "one/m",
      lane: "transcode",
      dialect: "dialect_responses",
    });
  });

  it("[address.responses] speaks the caller's dialect where a vendor has it, else the first that it names", () => {
    const owned = [vendor("one", "dialect_responses", "dialect_chat")];
    expect(planCallTarget(input("m", { accountTargets: owned }))).toMatchObject({
      lane: "pass-through",
      dialect: "dialect_chat",
    });
    expect(
      planCallTarget(input("m", { accountTargets: owned, dialect: "dialect_messages" })),
    ).toMatchObject({
      lane: "transcode",
      dialect: "dialect_responses",
    });
  });

  it("transcodes to the stored dialect of a custom endpoint", () => {
    const owned = [custom("dialect_messages")];
    expect(planCallTarget(input("custom/acme/m", { accountTargets: owned }))).toMatchObject({
      lane: "transcode",
      dialect: "dialect_messages",
    });
  });

  it.each([
    ["custom/acme/m", "no_custom_upstream", undefined],
    ["bolt/m", "no_vendor_credential", undefined],
    ["m", "no_vendor_credential", undefined],
    ["agent", "invalid_request", "model"],
  ])("refuses %s of an account that owns nothing with %s", (model, code, param) => {
    expect(refusal(model)).toEqual([code, param]);
  });

  it.each<[string, Partial<CallPlanInput>, string, string | undefined]>([
    [
      "custom/acme/m",
      { controls: { ...noControls, route: "credits" } },
      "invalid_request",
      "x-svc-route",
    ],
    ["m", { controls: { ...noControls, route: "credits" } }, "no_vendor_credential", undefined],
    ["m", { key: { route: "credits", allowedModels: [] } }, "no_vendor_credential", undefined],
  ])("refuses a call of %s where the plan has %j", (model, overrides, code, param) => {
    expect(refusal(model, { accountTargets: [custom()], ...overrides })).toEqual([code, param]);
  });

  it.each<[string, Partial<CallPlanInput>, RegExp]>([
    ["custom/acme/m", {}, /register it with POST \/v1\/upstreams/],
    ["bolt/m", {}, /link one with PUT \/v1\/vendors\/bolt\/credential/],
    ["m", {}, /link one, or name it as/],
    ["m", { controls: { ...noControls, route: "credits" } }, /Use the route `byo` or `auto`/],
    [
      "custom/acme/m",
      { controls: { ...noControls, route: "credits" } },
      /use the route `byo` or `auto`/,
    ],
  ])(
    "says what to do next where it refuses a call of %s and the plan has %j",
    (model, overrides, next) => {
      expect(() => planCallTarget(input(model, overrides))).toThrow(next);
    },
  );

  it("lets the header beat the key", () => {
    const key = { route: "credits", allowedModels: [] } as const;
    const controls = { ...noControls, route: "byo" } as const;
    expect(
      planCallTarget(input("custom/acme/m", { accountTargets: [custom()], key, controls })).route,
    ).toBe("byo");
  });

  it.each([["custom/acme/*"], ["*"], ["custom/*/m"], ["x", "custom/acme/m"]])(
    "lets a key with the pattern %s use custom/acme/m",
    (...allowedModels) => {
      const key = { route: "auto", allowedModels } as const;
      expect(
        planCallTarget(input("custom/acme/m", { accountTargets: [custom()], key })).upstreamModel,
      ).toBe("m");
    },
  );

  it.each([["m"], ["custom/acme/m2", "bolt/*"], ["custom/acme"], ["*x*"], ["custom/acme/m*m"]])(
    "does not let a key with the pattern %s use custom/acme/m",
    (...allowedModels) => {
      const key = { route: "auto", allowedModels } as const;
      expect(refusal("custom/acme/m", { accountTargets: [custom()], key })).toEqual([
        "model_not_allowed",
        undefined,
      ]);
    },
  );
});
