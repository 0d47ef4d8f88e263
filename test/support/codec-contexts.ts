import type { AnswerContext, DecodeContext } from "../../src/dialect/codec.ts";
import { unknownUpstream, type Capabilities } from "../../src/dialect/capabilities.ts";
import { LossLedger } from "../../src/dialect/loss.ts";
import { signedEnvelope } from "../../src/dialect/signed-envelope.ts";
import type { Turn } from "../../src/dialect/turn.ts";
import { plainTurn } from "../dialect/arbitrary-turn.ts";

/** An envelope of one upstream and model; other names open nothing of it. */
export function envelopeOf(upstream = "custom/lab", model = "model") {
  return signedEnvelope({ key: Buffer.alloc(32, 7), upstream, model });
}

/** What reads a caller's request, with a ledger of its own. */
export function requestContext(headers: DecodeContext["headers"] = {}): DecodeContext {
  return { ledger: new LossLedger(), envelope: envelopeOf(), headers };
}

/** What writes an upstream's request, with a ledger of its own. */
export function targetContext(capabilities: Partial<Capabilities> = {}, model = "up-model") {
  return {
    ledger: new LossLedger(),
    model,
    capabilities: { ...unknownUpstream, ...capabilities },
  };
}

/** What writes a caller's answer. */
export function answerContext(turn: Partial<Turn> = {}): AnswerContext {
  return {
    turn: { ...plainTurn, ...turn },
    id: "01k0000000000000000000test",
    created: 1_800_000_000,
    completed: () => 1_800_000_007,
    envelope: envelopeOf(),
    estimatedInput: 11,
    echo: { store: false, previousResponseId: undefined },
  };
}
