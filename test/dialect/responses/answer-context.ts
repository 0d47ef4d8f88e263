import { unknownUpstream } from "../../../src/dialect/capabilities.ts";
import type {
  AnswerContext,
  KeptItems,
  DecodeContext,
  TargetContext,
} from "../../../src/dialect/codec.ts";
import type { DialectError } from "../../../src/dialect/dialect-error.ts";
import { LossLedger } from "../../../src/dialect/loss.ts";
import type { ReasoningEnvelope } from "../../../src/dialect/reasoning-envelope.ts";
import type { ReasoningControl, Turn } from "../../../src/dialect/turn.ts";
import { plainTurn } from "../arbitrary-turn.ts";

/** An envelope that anybody can read, for tests about where it goes. */
export const openEnvelope: ReasoningEnvelope = {
  seal: (seal, texts) => `cw1.${JSON.stringify({ seal, texts })}`,
  open: (text) => (text.startsWith("cw1.{") ? JSON.parse(text.slice(4)) : undefined),
};

/** A caller that asked for summaries and for what it can send back. */
export const wantsEverything: ReasoningControl = {
  path: "reasoning",
  mode: "effort",
  effort: "high",
  budgetTokens: undefined,
  summary: "auto",
  wantsSeal: true,
};

export const answerId = "01j8zkq2v3w4x5y6z7a8b9c0d1";

export function answerContext(turn: Partial<Turn> = {}): AnswerContext {
  return {
    turn: { ...plainTurn, origin: "dialect_responses", reasoning: wantsEverything, ...turn },
    id: answerId,
    created: 1_795_000_000,
    completed: () => 1_795_000_007,
    envelope: openEnvelope,
    estimatedInput: 12,
    echo: { store: true, previousResponseId: undefined },
  };
}

export function requestContext(kept?: KeptItems): DecodeContext {
  return { ledger: new LossLedger(), envelope: openEnvelope, headers: {}, kept };
}

export function targetContext(
  capabilities: Partial<TargetContext["capabilities"]> = {},
): TargetContext {
  const known = { ...unknownUpstream, ...capabilities };
  return { ledger: new LossLedger(), model: "gpt-x", capabilities: known };
}

export const brokenOff: DialectError = {
  status: 502,
  code: "upstream_incomplete",
  message: "The upstream broke off in the middle of its answer.",
  type: undefined,
  param: null,
  byoUrl: undefined,
  docUrl: "http://127.0.0.1/docs/errors#upstream_incomplete",
  requestId: "req_1",
};
