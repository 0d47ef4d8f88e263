import { ItemService } from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import type { AccountAgentExtensionReader } from "../../domain/agent-items.ts";
import { DatabaseAgentExtensionReader } from "../../team/item/agent-items.ts";
import { AgentExtensionHeaderSealer } from "../../team/item/item-secrets.ts";
import { createAgentExtensionRpc } from "../../team/item/item.rpc.ts";
import { allowAnyReplay } from "../../platform/replay-checks.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";

export interface AgentExtensionsModule {
  readonly services: readonly MountedService[];
  /** What the agent works with on somebody's behalf. */
  readonly agentItems: AccountAgentExtensionReader;
}

/** Builds the items of people and the pools of teams. */
export function createAgentExtensionsModule({
  storage,
  dialer,
  clock,
  bodyMemory: bodies,
}: SharedResources): AgentExtensionsModule {
  const secrets = new AgentExtensionHeaderSealer(storage.box);
  return {
    services: [
      bindServiceImplementation(
        ItemService,
        createAgentExtensionRpc({ dialer, secrets, clock, bodies }),
        {
          createItem: allowAnyReplay,
        },
      ),
    ],
    agentItems: new DatabaseAgentExtensionReader(() => storage.database.fork(), secrets),
  };
}
