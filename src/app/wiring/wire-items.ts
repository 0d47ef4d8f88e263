import { ItemService } from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import type { AgentItemReader } from "../../domain/agent-items.ts";
import { AgentItemStore } from "../../team/item/agent-items.ts";
import { AgentItemHeaderSealer } from "../../team/item/item-secrets.ts";
import { createAgentItemRpc } from "../../team/item/item.rpc.ts";
import { skipReplayCheck } from "../../platform/replay-checks.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { Foundation } from "../foundation.ts";

export interface AgentItemWiring {
  readonly services: readonly MountedService[];
  /** What the agent works with on somebody's behalf. */
  readonly agentItems: AgentItemReader;
}

/** Builds the items of people and the pools of teams. */
export function wireAgentItems({
  storage,
  dialer,
  clock,
  bodyMemory: bodies,
}: Foundation): AgentItemWiring {
  const secrets = new AgentItemHeaderSealer(storage.box);
  return {
    services: [
      bindServiceImplementation(
        ItemService,
        createAgentItemRpc({ dialer, secrets, clock, bodies }),
        {
          createItem: skipReplayCheck,
        },
      ),
    ],
    agentItems: new AgentItemStore(() => storage.database.fork(), secrets),
  };
}
