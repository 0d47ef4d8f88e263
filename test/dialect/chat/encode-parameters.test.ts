import { describe, expect, it } from "vitest";
import type { ModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../../src/dialect/json.ts";
import type { ReasoningControl, NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { plainTurn } from "../arbitrary-request.ts";
import { encode } from "./contexts.ts";

/** Members of the body beside model and messages, and the losses. */
function write(turn: Partial<NeutralRequest>, capabilities: Partial<ModelCapabilities> = {}) {
  const { body, losses } = encode(
    { ...plainTurn, origin: "dialect_messages", ...turn },
    capabilities,
  );
  const { model: _model, messages: _messages, ...rest } = body;
  return { rest, losses: losses.map(({ path, action, reason }) => `${path} ${action} ${reason}`) };
}

function refusal(param: string) {
  return expect.objectContaining({ code: "invalid_request", param }) as Error;
}

describe("limits and sampling of a chat upstream's request", () => {
  it("names the cap as the server knows it", () => {
    const maxOutputTokens = { path: "max_tokens", value: 50 };
    expect(write({ maxOutputTokens }).rest).toEqual({ max_tokens: 50 });
    expect(write({ maxOutputTokens }, { maxTokensField: "max_completion_tokens" }).rest).toEqual({
      max_completion_tokens: 50,
    });
    expect(write({}).rest).toEqual({});
  });

  it("refuses a cap of 0", () => {
    expect(() => write({ maxOutputTokens: { path: "max_tokens", value: 0 } })).toThrow(
      refusal("max_tokens"),
    );
  });

  it("drops sampling that the model does not take, and top_k that the server does not know", () => {
    const sampling = {
      ...plainTurn.sampling,
      temperature: { path: "temperature", value: 1 },
      topK: { path: "top_k", value: 5 },
    };
    expect(write({ sampling })).toEqual({
      rest: { temperature: 1 },
      losses: ["top_k dropped unsupported"],
    });
    expect(write({ sampling }, { topK: true }).rest).toEqual({ temperature: 1, top_k: 5 });
    expect(write({ sampling }, { sampling: false, topK: true })).toEqual({
      rest: {},
      losses: ["temperature dropped model", "top_k dropped model"],
    });
  });

  it("[request.stop-sequences] takes four stop sequences, and refuses a fifth", () => {
    const stop = (value: readonly string[]) => ({ stop: { path: "stop_sequences", value } });
    expect(write(stop(["a"])).rest).toEqual({ stop: ["a"] });
    expect(write(stop(["a", "b", "c", "d"])).rest).toEqual({ stop: ["a", "b", "c", "d"] });
    expect(() => write(stop(["a", "b", "c", "d", "e"]))).toThrow(refusal("stop_sequences"));
  });

  it("[request.user] tells who the user is", () => {
    const user = { path: "metadata.user_id", value: "u" };
    expect(write({ user }).rest).toEqual({ user: "u" });
    expect(write({ user }, { firstParty: true }).rest).toEqual({ safety_identifier: "u" });
  });

  it.each([
    ["auto", "auto"],
    ["standard_only", "default"],
    ["flex", "flex"],
    ["priority", "priority"],
  ])("service tier %s is %s", (value, written) => {
    expect(write({ serviceTier: { path: "service_tier", value } }).rest).toEqual({
      service_tier: written,
    });
  });

  it("drops the tier that responses alone has, and foreign metadata", () => {
    const turn = {
      origin: "dialect_responses",
      serviceTier: { path: "service_tier", value: "ultrafast" },
      metadata: { path: "metadata", value: { a: "b" } },
    } as const;
    expect(write(turn)).toEqual({
      rest: {},
      losses: ["metadata dropped unsupported", "service_tier dropped unsupported"],
    });
    expect(write(turn, { firstParty: true }).rest).toEqual({ metadata: { a: "b" } });
  });

  it("asks for usage with a stream, unless the server refuses it", () => {
    const stream = { isStream: true, wantsStreamUsage: false };
    expect(write(stream).rest).toEqual({ stream: true, stream_options: { include_usage: true } });
    expect(write(stream, { streamUsage: false }).rest).toEqual({ stream: true });
  });
});

describe("reasoning of a chat upstream's request", () => {
  function control(rest: Partial<ReasoningControl>): { reasoning: ReasoningControl } {
    const nothing = {
      effort: undefined,
      budgetTokens: undefined,
      summary: undefined,
      wantsEncrypted: true,
    };
    return { reasoning: { path: "thinking", mode: "default", ...nothing, ...rest } };
  }

  it.each([
    [1024, "low"],
    [2047, "low"],
    [2048, "low"],
    [8191, "low"],
    [8192, "medium"],
    [16_383, "medium"],
    [16_384, "high"],
    [24_576, "high"],
  ])("a budget of %i tokens is %s", (budgetTokens, effort) => {
    expect(write(control({ mode: "budget", budgetTokens })).rest).toEqual({
      reasoning_effort: effort,
    });
  });

  it("says that a budget became a word, and what is above the highest", () => {
    const budget = control({ mode: "budget", budgetTokens: 30_000 });
    expect(write(budget).losses).toEqual([
      "thinking approximated unsupported",
      "thinking approximated range",
    ]);
    expect(write(budget, { highestEffort: "max" }).rest).toEqual({ reasoning_effort: "xhigh" });
  });

  it.each(["minimal", "low", "medium", "high"] as const)("the effort %s stays", (effort) => {
    expect(write(control({ mode: "effort", effort }))).toEqual({
      rest: { reasoning_effort: effort },
      losses: [],
    });
  });

  it("clips what the server does not have", () => {
    expect(write(control({ mode: "effort", effort: "max" }))).toEqual({
      rest: { reasoning_effort: "high" },
      losses: ["thinking approximated range"],
    });
    expect(
      write(control({ mode: "effort", effort: "minimal" }), { hasLowEfforts: false }).rest,
    ).toEqual({
      reasoning_effort: "low",
    });
  });

  it("says nothing for `disabled` to a server that may not know `none`", () => {
    expect(write(control({ mode: "disabled" }))).toEqual({
      rest: {},
      losses: ["thinking dropped unsupported"],
    });
    expect(write(control({ mode: "disabled" }), { firstParty: true }).rest).toEqual({
      reasoning_effort: "none",
    });
    expect(write(control({ mode: "effort", effort: "none" })).rest).toEqual({
      reasoning_effort: "none",
    });
    expect(
      write(control({ mode: "effort", effort: "none" }), { hasLowEfforts: false }).rest,
    ).toEqual({});
  });

  it("leaves the rest to the model", () => {
    expect(write(control({ mode: "adaptive" }))).toEqual({ rest: {}, losses: [] });
    expect(write(control({ mode: "adaptive", effort: "low" })).rest).toEqual({
      reasoning_effort: "low",
    });
    expect(write(control({ summary: "auto" }))).toEqual({ rest: {}, losses: [] });
  });
});

describe("formats of a chat upstream's request", () => {
  const closed = {
    type: "object",
    properties: { a: {} },
    required: ["a"],
    additionalProperties: false,
  };
  const open = {
    type: "object",
    properties: { a: {}, b: {} },
    required: ["a"],
    additionalProperties: false,
  };
  const named = {
    path: "output_config.format",
    kind: "schema",
    description: undefined,
    strict: undefined,
  } as const;

  it("[request.schema-optional] keeps what is optional, and is strict only where nothing is", () => {
    expect(write({ format: { ...named, name: undefined, schema: open } })).toEqual({
      rest: {
        response_format: {
          type: "json_schema",
          json_schema: { name: "response", schema: open, strict: false },
        },
      },
      losses: ["output_config.format approximated schema"],
    });
    expect(write({ format: { ...named, name: undefined, schema: closed } })).toEqual({
      rest: {
        response_format: {
          type: "json_schema",
          json_schema: { name: "response", schema: closed, strict: true },
        },
      },
      losses: [],
    });
  });

  it("[request.schema-form] nests the schema of responses, with its name", () => {
    const format = { ...named, name: "n", description: "d", strict: true, schema: open };
    expect(write({ origin: "dialect_responses", format }).rest).toEqual({
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", description: "d", schema: open, strict: true },
      },
    });
  });

  it("asks for any object", () => {
    expect(write({ format: { path: "text.format", kind: "json" } }).rest).toEqual({
      response_format: { type: "json_object" },
    });
  });
});

describe("fields that only some dialects know", () => {
  function extras(values: JsonObject): Partial<NeutralRequest> {
    return {
      origin: "dialect_responses",
      extras: Object.entries(values).map(([name, value]) => {
        const [member = "", outer] = name.split(".").toReversed();
        return { name, path: name, value, outer, member };
      }),
    };
  }

  it.each<[string, unknown]>([
    ["mcp_servers", [{}]],
    ["background", true],
  ])("refuses %s", (name, value) => {
    expect(() => write(extras({ [name]: value }))).toThrow(refusal(name));
  });

  it.each<[string, unknown]>([
    ["background", false],
    ["mcp_servers", []],
    ["store", true],
  ])("ignores the field %s with the value %j, which asks for nothing", (name, value) => {
    expect(write(extras({ [name]: value }))).toEqual({ rest: {}, losses: [] });
  });

  it.each([
    "cache_control",
    "diagnostics",
    "fallbacks",
    "inference_geo",
    "speed",
    "output_config.task_budget",
    "access_programs",
    "image",
    "include",
    "max_tool_calls",
    "moderation",
    "truncation",
    "top_logprobs",
    "user",
    "reasoning.context",
    "reasoning.mode",
    "stream_options.include_obfuscation",
    "prompt_cache_key",
  ])("drops %s", (name) => {
    expect(write(extras({ [name]: "x" }))).toEqual({
      rest: {},
      losses: [`${name} dropped unsupported`],
    });
  });

  it("[request.unknown-fields] drops what nobody knows, and says so", () => {
    expect(write(extras({ shiny: 1 }))).toEqual({ rest: {}, losses: ["shiny dropped unknown"] });
  });

  it.each(["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"])(
    "copies %s for a first-party server",
    (name) => {
      expect(write(extras({ [name]: "k" }), { firstParty: true }).rest).toEqual({ [name]: "k" });
    },
  );
});
