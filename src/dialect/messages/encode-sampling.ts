import type { LossReason } from "../loss.ts";
import type { Located, Sampling } from "../turn.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** Lowest `top_p` that the vendor takes while the model thinks. */
const leastThinkingTopP = 0.95;

/** Temperature, `top_p` and `top_k` as far as the model takes them; the rest has no word here. */
export function encodeSampling(writing: Writing, isThinking: boolean): WireObject {
  const { turn, ledger, capabilities } = writing;
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
    return keepTopP(writing, topP !== undefined && topP.value >= leastThinkingTopP);
  }
  if (temperature !== undefined && temperature.value > 1) {
    ledger.approximate(temperature.path, "range");
  }
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature.value) }),
    ...keepTopP(writing, temperature === undefined || !/claude/i.test(writing.model)),
    ...(topK === undefined ? {} : { top_k: topK.value }),
  };
}

function dropAll(
  { ledger }: Writing,
  fields: readonly (Located<number> | undefined)[],
  reason: LossReason,
): void {
  for (const field of fields) if (field !== undefined) ledger.drop(field.path, reason);
}

/** Claude models take one of temperature and `top_p`, not both. */
function keepTopP({ turn, ledger }: Writing, isTaken: boolean): WireObject {
  const { topP } = turn.sampling;
  if (topP === undefined) return {};
  if (isTaken) return { top_p: topP.value };
  ledger.drop(topP.path, "conflict");
  return {};
}

function nativeSampling({ temperature, topP, topK }: Sampling): WireObject {
  return {
    ...(temperature === undefined ? {} : { temperature: temperature.value }),
    ...(topP === undefined ? {} : { top_p: topP.value }),
    ...(topK === undefined ? {} : { top_k: topK.value }),
  };
}
