/** The version that took sampling away, and documents and citations where they had no use. */
export const anthropicVersion2026 = "2026-10-21";

/** Fields of a request that the neutral turn has a name for; all else is an extra. */
export const knownMessagesRequestFields: ReadonlySet<string> = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "stop_sequences",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "thinking",
  "output_config",
  "output_format",
  "tools",
  "tool_choice",
  "metadata",
  "service_tier",
]);

/** Fields that are extras and that the upstream takes as they were sent. */
export const messagesPassThroughFieldNames: ReadonlySet<string> = new Set([
  "cache_control",
  "container",
  "context_management",
  "diagnostics",
  "fallbacks",
  "inference_geo",
  "mcp_servers",
  "speed",
]);

/** Media types of images. */
export const supportedMessagesImageTypes: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/** Characters of the longest name of a tool. */
export const maxMessagesToolNameLength = 128;

/** Tokens of an answer where neither the caller nor the model's facts set a cap. */
export const defaultMessagesMaxTokens = 8192;

/** Cache breakpoints of one request. */
export const maxMessagesCacheBreakpoints = 4;

/** The block by which Claude Code tells its vendor whom to bill; its hash differs in every request. */
export const claudeCodeBillingPrefix = "x-anthropic-billing-header";

/** A block or object of this dialect's wire, being written. */
export type MessagesWireObject = Record<string, unknown>;
