import type { ResponseEncodingContext, RequestDecodingContext } from "../../src/dialect/codec.ts";
import {
  unknownModelCapabilities,
  type ModelCapabilities,
} from "../../src/dialect/capabilities.ts";
import { ConversionWarningCollector } from "../../src/dialect/conversion-warning.ts";
import { createReasoningEnvelopeSealer } from "../../src/dialect/signed-envelope.ts";
import type { NeutralRequest } from "../../src/dialect/neutral-request.ts";
import { plainTurn } from "../dialect/arbitrary-request.ts";

/** An envelope of one upstream and model; other names open nothing of it. */
export function envelopeOf(upstream = "custom/lab", model = "model") {
  return createReasoningEnvelopeSealer({ key: Buffer.alloc(32, 7), upstream, model });
}

/** What reads a caller's request, with a ledger of its own. */
export function requestContext(
  headers: RequestDecodingContext["headers"] = {},
): RequestDecodingContext {
  return { warnings: new ConversionWarningCollector(), envelope: envelopeOf(), headers };
}

/** What writes an upstream's request, with a ledger of its own. */
export function targetContext(capabilities: Partial<ModelCapabilities> = {}, model = "up-model") {
  return {
    warnings: new ConversionWarningCollector(),
    model,
    capabilities: { ...unknownModelCapabilities, ...capabilities },
  };
}

/** What writes a caller's answer. */
export function answerContext(turn: Partial<NeutralRequest> = {}): ResponseEncodingContext {
  return {
    request: { ...plainTurn, ...turn },
    id: "01k0000000000000000000test",
    created: 1_800_000_000,
    completed: () => 1_800_000_007,
    envelope: envelopeOf(),
    estimatedInput: 11,
    echo: { store: false, previousResponseId: undefined },
  };
}
