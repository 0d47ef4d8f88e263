import { ItemService } from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import type { AgentItemReader } from "../../domain/agent-items.ts";
import { DatabaseAgentItemReader } from "../../team/item/agent-items.ts";
import { AgentItemHeaderSealer } from "../../team/item/item-secrets.ts";
import { createAgentItemRpc } from "../../team/item/item.rpc.ts";
import { allowAnyReplay } from "../../platform/replay-checks.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";

export interface AgentItemModule {
  readonly services: readonly MountedService[];
  /** What the agent works with on somebody's behalf. */
  readonly agentItems: AgentItemReader;
}

/** Builds the items of people and the pools of teams. */
export function createAgentItemModule({
  storage,
  dialer,
  clock,
  bodyMemory: bodies,
}: SharedResources): AgentItemModule {
  const secrets = new AgentItemHeaderSealer(storage.box);
  return {
    services: [
      bindServiceImplementation(
        ItemService,
        createAgentItemRpc({ dialer, secrets, clock, bodies }),
        {
          createItem: allowAnyReplay,
        },
      ),
    ],
    agentItems: new DatabaseAgentItemReader(() => storage.database.fork(), secrets),
  };
}
