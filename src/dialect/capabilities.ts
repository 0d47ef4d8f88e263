/**
 * What is known of an upstream and its model, where the dialect alone does not
 * tell. Known from the vendor catalogue, told by a probe (`model_meta`) or
 * learned from a first 400; the rest are the defaults of `unknownModelCapabilities`.
 */
export interface ModelCapabilities {
  /** Tokens; for callers who set no cap where the dialect demands one. */
  readonly maxOutputTokens: number | undefined;
  /** Name of the cap in chat: first-party servers take the newer one only. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Whether chat may be asked for `stream_options.include_usage`. */
  readonly streamUsage: boolean;
  /**
   * What becomes of a system message in the middle of a conversation: it stays, is a
   * marked text of the user's turn, or goes to the front.
   */
  readonly midConversationSystem: "native" | "demote" | "hoist";
  /** Whether temperature, top_p and top_k are taken. */
  readonly sampling: boolean;
  /** Whether chat takes `top_k`. */
  readonly topK: boolean;
  /** How a messages model is told to think. */
  readonly thinking: "budget" | "adaptive" | "none";
  /** Highest effort that the upstream takes. */
  readonly highestEffort: "high" | "xhigh" | "max";
  /** Takes `max` but not `xhigh`. */
  readonly lacksXhigh?: boolean | undefined;
  /** Whether the lowest efforts `none` and `minimal` are taken by chat. */
  readonly hasLowEfforts: boolean;
  /** Whether messages takes `output_config.format`, or needs a tool to answer through. */
  readonly structuredOutput: "native" | "tool";
  readonly strictTools: boolean;
  /** Tools that the vendor runs itself and other dialects can ask for. */
  readonly serverTools: readonly "web_search"[];
  /** Whether messages takes `mcp_servers`, which the vendor calls. */
  readonly mcpConnector: boolean;
  /** Whether chat takes `prompt_cache_breakpoint` and the other cache fields. */
  readonly promptCache: boolean;
  /** Whether chat wants `reasoning_content` back in the history. */
  readonly reasoningEcho: boolean;
  /** Whether the upstream may keep what a caller asks it to keep. */
  readonly canStore: boolean;
  /** The vendor's own server: takes `safety_identifier`, `developer` roles, custom tools. */
  readonly firstParty: boolean;
}

/** A compatible server of which nothing is known. */
export const unknownModelCapabilities: ModelCapabilities = {
  maxOutputTokens: undefined,
  maxTokensField: "max_tokens",
  streamUsage: true,
  midConversationSystem: "demote",
  sampling: true,
  topK: false,
  thinking: "budget",
  highestEffort: "high",
  hasLowEfforts: true,
  structuredOutput: "native",
  strictTools: true,
  serverTools: [],
  mcpConnector: false,
  promptCache: false,
  reasoningEcho: false,
  canStore: true,
  firstParty: false,
};
