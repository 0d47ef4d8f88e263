/** Fields of a request that the neutral turn has a name for; all else is an extra. */
export const knownChatRequestFields: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "logprobs",
  "top_logprobs",
  "n",
  "seed",
  "stop",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "modalities",
  "audio",
  "metadata",
  "safety_identifier",
  "service_tier",
]);

/** Media types of images that every vendor takes. */
export const supportedChatImageTypes: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/** Most `stop` sequences of a request. */
export const maxChatStopSequences = 4;

/** Most cache breakpoints of a request. */
export const maxChatCacheBreakpoints = 4;

/** Begins the text of a tool result that is an error: a `tool` message has no flag for it. */
export const toolErrorPrefix = "[tool_error] ";

/** An object of this dialect's wire, being written. */
export type ChatWireObject = Record<string, unknown>;
