import { unknownModelCapabilities } from "../../../src/dialect/capabilities.ts";
import type {
  ResponseEncodingContext,
  StoredConversationItems,
  RequestDecodingContext,
  TargetEncodingContext,
} from "../../../src/dialect/codec.ts";
import type { CallerFacingError } from "../../../src/dialect/dialect-error.ts";
import { ConversionWarningCollector } from "../../../src/dialect/conversion-warning.ts";
import type { ReasoningEnvelopeSealer } from "../../../src/dialect/reasoning-envelope.ts";
import type { ReasoningControl, NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { plainTurn } from "../arbitrary-request.ts";

/** An envelope that anybody can read, for tests about where it goes. */
export const openEnvelope: ReasoningEnvelopeSealer = {
  seal: (seal, texts) => `cw1.${JSON.stringify({ encryptedReasoning: seal, texts })}`,
  open: (text) => (text.startsWith("cw1.{") ? JSON.parse(text.slice(4)) : undefined),
};

/** A caller that asked for summaries and for what it can send back. */
export const wantsEverything: ReasoningControl = {
  path: "reasoning",
  mode: "effort",
  effort: "high",
  budgetTokens: undefined,
  summary: "auto",
  wantsEncrypted: true,
};

export const answerId = "01j8zkq2v3w4x5y6z7a8b9c0d1";

export function answerContext(turn: Partial<NeutralRequest> = {}): ResponseEncodingContext {
  return {
    request: { ...plainTurn, origin: "dialect_responses", reasoning: wantsEverything, ...turn },
    id: answerId,
    created: 1_795_000_000,
    completed: () => 1_795_000_007,
    envelope: openEnvelope,
    estimatedInput: 12,
    echo: { store: true, previousResponseId: undefined },
  };
}

export function requestContext(kept?: StoredConversationItems): RequestDecodingContext {
  return {
    warnings: new ConversionWarningCollector(),
    envelope: openEnvelope,
    headers: {},
    stored: kept,
  };
}

export function targetContext(
  capabilities: Partial<TargetEncodingContext["capabilities"]> = {},
): TargetEncodingContext {
  const known = { ...unknownModelCapabilities, ...capabilities };
  return { warnings: new ConversionWarningCollector(), model: "gpt-x", capabilities: known };
}

export const interruptedContext: CallerFacingError = {
  status: 502,
  code: "upstream_incomplete",
  message: "The upstream broke off in the middle of its answer.",
  type: undefined,
  param: null,
  byoUrl: undefined,
  docUrl: "http://127.0.0.1/docs/errors#upstream_incomplete",
  requestId: "req_1",
};
