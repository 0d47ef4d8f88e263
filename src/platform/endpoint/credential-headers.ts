import type { DialectId } from "../configuration/configuration.ts";
import type { Secret } from "../crypto/secret.ts";

/** Where an upstream looks for its key. */
export type UpstreamAuthStyle = "bearer" | "x-api-key";

/** Version of the messages API whose fields every server knows, and that a missing header means. */
export const defaultAnthropicVersion = "2023-06-01";

/** How an upstream of this dialect is usually told its key. */
export function defaultUpstreamAuthStyle(dialect: DialectId): UpstreamAuthStyle {
  return dialect === "dialect_messages" ? "x-api-key" : "bearer";
}

/**
 * The header that carries a key. The key is sent as UTF-8: a character beyond
 * Latin-1 would otherwise make the whole request invalid.
 */
export function buildCredentialHeaders(
  style: UpstreamAuthStyle,
  key: Secret,
): Record<string, string> {
  const value = Buffer.from(key.reveal(), "utf8").toString("latin1");
  return style === "bearer" ? { authorization: `Bearer ${value}` } : { "x-api-key": value };
}

/** What a dialect demands beside the key. */
export function buildDialectHeaders(dialect: DialectId): Record<string, string> {
  return dialect === "dialect_messages" ? { "anthropic-version": defaultAnthropicVersion } : {};
}
