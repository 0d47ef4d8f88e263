import type { AgentThreads } from "../../kernel/agent-thread.ts";
import type { AgentReceiver } from "../../kernel/agent-turn.ts";
import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { AgentsConfiguration } from "../../platform/configuration/agents.ts";
import type { Warm } from "../../platform/warm.ts";
import type { Directories } from "../routing/owned-targets.ts";
import type { Routing } from "../routing/plan-pool.ts";
import type { UsableModels } from "../routing/plan-served-call.ts";
import type { TurnStart } from "../turn/background-call.ts";

/** What is known of agents where their turns are begun. */
export interface AgentDependencies {
  readonly threads: AgentThreads;
  readonly engines: AgentsConfiguration;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => Warm<readonly CallableEndpoint[]>;
  /** Whether somebody's items give the agent tools of servers. */
  readonly hasTools: (receiver: AgentReceiver) => Promise<boolean>;
  /** What the servers of somebody's items are called. */
  readonly serverLabels: (receiver: AgentReceiver) => Promise<readonly string[]>;
  /** Judges the address of a server; rejects with 400 and the `param`. */
  readonly checkAddress: (url: string, param: string) => Promise<void>;
  /** How long a turn waits for the one before it, milliseconds. */
  readonly waitMs: number;
}

/** What an agent's turn is begun with. */
export interface AgentStart extends TurnStart {
  readonly agents: AgentDependencies;
  readonly directories: Directories;
  readonly routing: Routing;
  readonly usableModels: UsableModels;
}
