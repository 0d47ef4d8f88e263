/** Text that the agent always follows. */
export interface AgentRulesItem {
  readonly id: string;
  readonly text: string;
}

/** Text that the agent reads when its description fits. */
export interface AgentSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly text: string;
}

/** A server whose tools the agent may use. Dial it through the checked dialer only. */
export interface AgentMcpServer {
  readonly id: string;
  readonly name: string | undefined;
  readonly url: string;
  /** In the clear, names in lower case: not for logs, answers or the model. */
  readonly headers: Readonly<Record<string, string>>;
  /** Patterns of the names of its tools that may be used, `*` standing for any characters; empty: all. */
  readonly tools: readonly string[];
  /** Each call of its tools waits for an approval. */
  readonly needsApproval: boolean;
}

/** What a person and the person's teams give to the agent; own items first, then team by team. */
export interface AgentItemsByKind {
  readonly rules: readonly AgentRulesItem[];
  readonly skills: readonly AgentSkill[];
  readonly mcpServers: readonly AgentMcpServer[];
}
