import type { ConversionWarningReason } from "../conversion-warning.ts";
import type { ValueWithPath, SamplingParameters } from "../neutral-request.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** Lowest `top_p` that the vendor takes while the model thinks. */
const minThinkingTopP = 0.95;

/** What is sent. */
interface EncodedSampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
}

/** Temperature, `top_p` and `top_k` as far as the model takes them; the rest has no word here. */
export function encodeMessagesSampling(
  writing: MessagesRequestEncodingContext,
  isThinking: boolean,
): EncodedSampling {
  const { request: turn, warnings: ledger, capabilities } = writing;
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, seed } = turn.sampling;
  dropAll(writing, [presencePenalty, frequencyPenalty, seed], "unsupported");
  if (turn.origin === "dialect_messages") return nativeSampling(turn.sampling);
  const reason = capabilities.sampling ? (isThinking ? "conflict" : undefined) : "model";
  if (reason === "model") {
    dropAll(writing, [temperature, topP, topK], reason);
    return {};
  }
  if (reason === "conflict") {
    dropAll(writing, [temperature, topK], reason);
    return { topP: keepTopP(writing, topP !== undefined && topP.value >= minThinkingTopP) };
  }
  if (temperature !== undefined && temperature.value > 1) {
    ledger.approximate(temperature.path, "range");
  }
  return {
    temperature: temperature && Math.min(1, temperature.value),
    topP: keepTopP(writing, temperature === undefined || !/claude/i.test(writing.model)),
    topK: topK?.value,
  };
}

function dropAll(
  { warnings: ledger }: MessagesRequestEncodingContext,
  fields: readonly (ValueWithPath<number> | undefined)[],
  reason: ConversionWarningReason,
): void {
  for (const field of fields) if (field !== undefined) ledger.drop(field.path, reason);
}

/** Claude models take one of temperature and `top_p`, not both. */
function keepTopP(
  { request: turn, warnings: ledger }: MessagesRequestEncodingContext,
  isTaken: boolean,
): number | undefined {
  const { topP } = turn.sampling;
  if (topP === undefined || isTaken) return topP?.value;
  ledger.drop(topP.path, "conflict");
  return undefined;
}

function nativeSampling({ temperature, topP, topK }: SamplingParameters): EncodedSampling {
  return { temperature: temperature?.value, topP: topP?.value, topK: topK?.value };
}
