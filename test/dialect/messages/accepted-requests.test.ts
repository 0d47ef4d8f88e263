import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inferModelCapabilities } from "../../../src/dialect/model-capabilities.ts";
import { ConversionWarningCollector } from "../../../src/dialect/conversion-warning.ts";
import { messagesCodec } from "../../../src/dialect/messages/codec.ts";
import { placeToolResultsAfterCalls } from "../../../src/dialect/pair-tool-results.ts";
import type {
  StructuredOutputFormat,
  NeutralPart,
  ReasoningControl,
  NeutralToolChoice,
  NeutralRequest,
  NeutralMessage,
} from "../../../src/dialect/neutral-request.ts";
import { messagesFaults } from "../../support/strict-upstream/messages/rules.ts";
import { plainTool, someTurn } from "../arbitrary-request.ts";

const models = [
  "claude-3-5-haiku-latest",
  "claude-opus-4-1",
  "claude-opus-4-8",
  "claude-sonnet-4-20250514",
  "qwen3",
];

const someEffort: fc.Arbitrary<ReasoningControl | undefined> = fc
  .constantFrom(undefined, "none", "minimal", "low", "high", "max")
  .map((effort) =>
    effort === undefined
      ? undefined
      : {
          path: "reasoning_effort",
          mode: "effort",
          effort: effort as ReasoningControl["effort"],
          budgetTokens: undefined,
          summary: undefined,
          wantsEncrypted: true,
        },
  );

const path = "tool_choice";
const someChoice: fc.Arbitrary<NeutralToolChoice | undefined> = fc.constantFrom(
  undefined,
  { path, kind: "none" },
  { path, kind: "auto" },
  { path, kind: "required" },
  { path, kind: "tool", name: "extra" },
  { path, kind: "allowed", names: ["extra"], isRequired: false },
);

const someFormat: fc.Arbitrary<StructuredOutputFormat | undefined> = fc.constantFrom(
  undefined,
  { path: "response_format", kind: "json" },
  {
    path: "response_format",
    kind: "schema",
    name: "r",
    description: undefined,
    schema: { type: "object", properties: { a: { minimum: 1 } } },
    strict: true,
  },
);

/** Every part has a breakpoint of its own, as decoders make them. */
function noisePart(isBlank: boolean): NeutralPart {
  return isBlank
    ? { type: "text", path: "noise", text: " \n" }
    : { type: "text", path: "noise", text: "noise", cache: { path: "noise.cache", ttl: "1h" } };
}

/** What callers put between the messages: system text, blank text, breakpoints, foreign thoughts. */
const someNoise: fc.Arbitrary<NeutralMessage> = fc
  .tuple(fc.constantFrom("system", "user", "assistant"), fc.boolean().map(noisePart), fc.boolean())
  .map(([role, part, thinks]) => ({
    path: "noise",
    role: role as NeutralMessage["role"],
    parts:
      thinks && role === "assistant"
        ? [{ type: "reasoning", path: "noise", texts: ["hm"] }, part]
        : [part],
  }));

/** Anything that chat and responses callers may ask for, in any combination. */
const someRequest: fc.Arbitrary<NeutralRequest> = fc
  .record({
    turn: someTurn(),
    reasoning: someEffort,
    toolChoice: someChoice,
    format: someFormat,
    parallelToolCalls: fc.constantFrom(undefined, true, false),
    noise: fc.array(fc.tuple(fc.nat(20), someNoise), { maxLength: 6 }),
    topK: fc.constantFrom(undefined, { path: "top_k", value: 3 }),
    hasTools: fc.boolean(),
  })
  .map(({ turn, noise, topK, hasTools, toolChoice, ...rest }) => ({
    ...turn,
    ...rest,
    tools: hasTools ? [...turn.tools, plainTool("extra")] : [],
    toolChoice: hasTools ? toolChoice : undefined,
    sampling: { ...turn.sampling, topK },
    messages: noise.reduce(
      (messages, [place, one]) => withNoise(messages, place, one),
      turn.messages,
    ),
  }));

function withNoise(
  messages: readonly NeutralMessage[],
  place: number,
  noise: NeutralMessage,
): readonly NeutralMessage[] {
  const at = place % (messages.length + 1);
  return messages[at]?.role === "tool"
    ? messages
    : [...messages.slice(0, at), noise, ...messages.slice(at)];
}

function saysSomething(part: NeutralPart): boolean {
  return part.type !== "reasoning" && (part.type !== "text" || part.text.trim() !== "");
}

describe("requests for a messages upstream", () => {
  it("[request.valid] [request.agent-history] nothing that is sent would be refused", () => {
    fc.assert(
      fc.property(someRequest, fc.constantFrom(...models), (turn, model) => {
        fc.pre(turn.messages.some(({ parts }) => parts.some(saysSomething)));
        const dialect = "dialect_messages";
        const known = { model, dialect, firstParty: false, maxOutputTokens: undefined } as const;
        const { body } = messagesCodec.encodeRequest(placeToolResultsAfterCalls(turn), {
          warnings: new ConversionWarningCollector(),
          model,
          capabilities: inferModelCapabilities(known),
        });
        expect(messagesFaults(body)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
