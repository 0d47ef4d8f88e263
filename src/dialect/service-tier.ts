import { asString } from "./json.ts";

/**
 * The tier that served an answer: `standard`, `priority` or `batch`, as messages has them,
 * or a further word of chat and responses as it came.
 */
export type ResponseServiceTier = string;

/** What an answer of chat or responses says. */
export function parseResponseServiceTier(value: unknown): ResponseServiceTier | undefined {
  const word = asString(value);
  return word === "default" ? "standard" : word;
}

/** The word for a caller of chat or responses. */
export function toChatResponseTier(tier: ResponseServiceTier): string {
  return tier === "standard" || tier === "batch" ? "default" : tier;
}

/** The word for a caller of messages; undefined: it has none. */
export function toMessagesResponseTier(tier: ResponseServiceTier): string | undefined {
  return ["standard", "priority", "batch"].includes(tier) ? tier : undefined;
}
