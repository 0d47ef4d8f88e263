import { asElements, asNumber, asObject, asString, type JsonObject } from "../json.ts";

/**
 * Log probabilities as responses has them: `bytes` and `top_logprobs` are
 * required here and optional or null in chat; entries without a token are left
 * out.
 */
export function encodeLogprobs(logprobs: readonly unknown[]): readonly JsonObject[] {
  return logprobs.flatMap((value) => {
    const entry = asObject(value);
    const token = asString(entry?.["token"]);
    if (entry === undefined || token === undefined) return [];
    const top = asElements(entry["top_logprobs"]).flatMap((other) => tokenEntry(other));
    return tokenEntry(entry).map((own) => ({ ...own, top_logprobs: top }));
  });
}

function tokenEntry(value: unknown): readonly JsonObject[] {
  const entry = asObject(value);
  const token = asString(entry?.["token"]);
  if (entry === undefined || token === undefined) return [];
  const told = entry["bytes"];
  const bytes = Array.isArray(told) ? told : [...Buffer.from(token)];
  return [{ token, bytes, logprob: asNumber(entry["logprob"]) ?? 0 }];
}
