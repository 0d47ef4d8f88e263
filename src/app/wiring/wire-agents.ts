import { AgentService } from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { AgentThreadStore } from "../../agent/thread/thread-store.ts";
import { createThreadRpc } from "../../agent/thread/thread.rpc.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";
import type { TurnModule } from "./wire-turns.ts";

export interface AgentThreadModule {
  readonly services: readonly MountedService[];
  /** Threads, and what was said in them. */
  readonly threads: AgentThreadStore;
}

/** Builds the threads of agents. */
export function createAgentThreadModule(
  { storage, clock, bodyMemory: bodies }: SharedResources,
  { durable, threadTurns: turns }: TurnModule,
): AgentThreadModule {
  const fork = () => storage.database.fork();
  return {
    services: [
      bindServiceImplementation(AgentService, createThreadRpc({ clock, durable, turns, bodies })),
    ],
    threads: new AgentThreadStore({ fork, box: storage.box, clock, turns }),
  };
}
