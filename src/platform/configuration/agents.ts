import type { ConfigurationFile } from "./configuration-file.ts";

/** What one turn of an agent may take. */
export interface AgentLimits {
  /** Model calls. */
  readonly steps: number;
  readonly toolCalls: number;
  readonly seconds: number;
  /** Of all its model calls together. */
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** An engine of the agent, as the operator has it. */
export interface AgentEngineConfiguration {
  /** Ids as a caller would name them; the first that the caller can reach is used. */
  readonly models: readonly string[];
  /** Undefined: it has none of its own. */
  readonly instructions: string | undefined;
  readonly limits: AgentLimits;
}

/** The engines of the agent; one that is not configured has no models. */
export interface AgentsConfiguration {
  readonly omni: AgentEngineConfiguration;
  readonly fast: AgentEngineConfiguration;
  /** Of turns with a model that their caller named. */
  readonly limits: AgentLimits;
}

type FileAgents = ConfigurationFile["agents"];
type FileLimits = NonNullable<FileAgents["limits"]>;

const defaultLimits: AgentLimits = {
  steps: 24,
  toolCalls: 64,
  seconds: 900,
  outputTokens: 32_000,
  costUsd: 5,
};

/** The engines of the configuration file; an engine's own limits win over the common ones. */
export function parseAgentsConfiguration({
  omni,
  fast,
  limits: common = {},
}: FileAgents): AgentsConfiguration {
  const limits = limitsOf(common, defaultLimits);
  return { omni: engineOf(omni, limits), fast: engineOf(fast, limits), limits };
}

function engineOf(engine: FileAgents["omni"], common: AgentLimits): AgentEngineConfiguration {
  const { models = [], instructions } = engine ?? {};
  return { models, instructions, limits: limitsOf(engine ?? {}, common) };
}

function limitsOf(file: FileLimits, others: AgentLimits): AgentLimits {
  return {
    steps: file.max_steps ?? others.steps,
    toolCalls: file.max_tool_calls ?? others.toolCalls,
    seconds: file.max_seconds ?? others.seconds,
    outputTokens: file.max_output_tokens ?? others.outputTokens,
    costUsd: file.max_cost_usd ?? others.costUsd,
  };
}
