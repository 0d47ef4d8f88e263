import type { AgentThreadService } from "../../domain/agent-thread.ts";
import type { AgentExtensionOwner } from "../../domain/agent-turn.ts";
import type { CallableCustomEndpoint } from "../../domain/callable-endpoint.ts";
import type { AgentsConfiguration } from "../../platform/configuration/agents.ts";
import type { KeyedConcurrencyLimiter } from "../../platform/keyed-limiter.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import type { ModelResolutionLookups } from "../routing/account-targets.ts";
import type { RoutingDependencies } from "../routing/plan-pool.ts";
import type { UsableModelIdsLookup } from "../routing/plan-served-call.ts";
import type { BackgroundTurnStartDependencies } from "../turn/background-call.ts";
import type { BusyThreadCallerQueues } from "./thread-lines.ts";

/** What is known of agents where their turns are begun. */
export interface AgentTurnPlanningDependencies {
  readonly threads: AgentThreadService;
  readonly engines: AgentsConfiguration;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => MaybePromise<readonly CallableCustomEndpoint[]>;
  /** Whether somebody's items give the agent tools of servers. */
  readonly hasTools: (receiver: AgentExtensionOwner) => Promise<boolean>;
  /** What the servers of somebody's items are called. */
  readonly serverLabels: (receiver: AgentExtensionOwner) => Promise<readonly string[]>;
  /** Judges the address of a server; rejects with 400 and the `param`. */
  readonly checkAddress: (url: string, param: string) => Promise<void>;
  /**
   * Lets a few calls of an account at a time plan and store their turns, which is the expensive
   * part of a call: other accounts would wait for all of them.
   */
  readonly starts: KeyedConcurrencyLimiter;
  /** Callers that wait for busy threads in this process. */
  readonly lines: BusyThreadCallerQueues;
  /** How long a turn waits for the one before it, milliseconds. */
  readonly waitMs: number;
}

/** What an agent's turn is begun with. */
export interface AgentTurnStartDependencies extends BackgroundTurnStartDependencies {
  readonly agents: AgentTurnPlanningDependencies;
  readonly directories: ModelResolutionLookups;
  readonly routing: RoutingDependencies;
  readonly usableModels: UsableModelIdsLookup;
}
