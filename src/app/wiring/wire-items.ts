import { ItemService } from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import type { AgentItemReader } from "../../domain/agent-items.ts";
import { AgentItemStore } from "../../team/item/agent-items.ts";
import { ItemSecrets } from "../../team/item/item-secrets.ts";
import { createItemRpc } from "../../team/item/item.rpc.ts";
import { allowAdmittedCallers } from "../../platform/replay-checks.ts";
import { createMountedService, type MountedService } from "../../transport/mounted-service.ts";
import type { Foundation } from "../foundation.ts";

export interface ItemWiring {
  readonly services: readonly MountedService[];
  /** What the agent works with on somebody's behalf. */
  readonly agentItems: AgentItemReader;
}

/** Builds the items of people and the pools of teams. */
export function wireItems({ storage, dialer, clock }: Foundation): ItemWiring {
  const secrets = new ItemSecrets(storage.box);
  return {
    services: [
      createMountedService(ItemService, createItemRpc({ dialer, secrets, clock }), {
        createItem: allowAdmittedCallers,
      }),
    ],
    agentItems: new AgentItemStore(() => storage.database.fork(), secrets),
  };
}
