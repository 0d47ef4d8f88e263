import { AgentService } from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { ApprovalRequestSigner } from "../../agent/run/approval-id.ts";
import { AgentThreadStore } from "../../agent/thread/thread-store.ts";
import { createThreadRpc } from "../../agent/thread/thread.rpc.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";
import type { AccountModule } from "./wire-accounts.ts";
import type { TurnModule } from "./wire-turns.ts";

export interface AgentThreadModule {
  readonly services: readonly MountedService[];
  /** Threads, and what was said in them. */
  readonly threads: AgentThreadStore;
  /** Signs what turns ask their callers. */
  readonly approvals: ApprovalRequestSigner;
}

/** Builds the threads of agents. */
export function createAgentThreadModule(
  { storage, clock, bodyMemory: bodies }: SharedResources,
  { hasher }: AccountModule,
  { durable, threadTurns: turns }: TurnModule,
): AgentThreadModule {
  const approvals = new ApprovalRequestSigner(hasher.keyFor("approval requests"));
  const fork = () => storage.database.fork();
  return {
    services: [
      bindServiceImplementation(AgentService, createThreadRpc({ clock, durable, turns, bodies })),
    ],
    threads: new AgentThreadStore({ fork, box: storage.box, clock, turns, approvals }),
    approvals,
  };
}
