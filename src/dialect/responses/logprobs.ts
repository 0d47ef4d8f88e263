import { asArrayOrEmpty, asNumber, asObject, asString, type JsonObject } from "../json.ts";

/**
 * Most bytes of tokens that are written for an upstream that wrote none, as many as an answer of
 * 50,000 tokens has. Each is a number of up to four characters, in five events of a stream.
 */
const maxAddedBytes = 256 * 1024;

/** Bytes that may still be added. */
interface ByteBudget {
  left: number;
}

/**
 * Log probabilities as responses has them: `bytes` and `top_logprobs` are
 * required here and optional or null in chat; entries without a token are left
 * out. `bytes` is empty where too many would have to be added.
 */
export function encodeResponsesLogprobs(logprobs: readonly unknown[]): readonly JsonObject[] {
  const budget = { left: maxAddedBytes };
  return logprobs.flatMap((value) => {
    const entry = asObject(value);
    const token = asString(entry?.["token"]);
    if (entry === undefined || token === undefined) return [];
    const own = tokenEntry(entry, budget);
    const top = asArrayOrEmpty(entry["top_logprobs"]).flatMap((other) => tokenEntry(other, budget));
    return own.map((one) => ({ ...one, top_logprobs: top }));
  });
}

function tokenEntry(value: unknown, budget: ByteBudget): readonly JsonObject[] {
  const entry = asObject(value);
  const token = asString(entry?.["token"]);
  if (entry === undefined || token === undefined) return [];
  const told = entry["bytes"];
  const bytes = Array.isArray(told) ? told : addBytes(token, budget);
  return [{ token, bytes, logprob: asNumber(entry["logprob"]) ?? 0 }];
}

function addBytes(token: string, budget: ByteBudget): readonly number[] {
  const length = Buffer.byteLength(token);
  if (length > budget.left) return [];
  budget.left -= length;
  return [...Buffer.from(token)];
}
