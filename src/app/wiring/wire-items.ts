import { ItemService } from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import type { AgentReceiver } from "../../kernel/agent-turn.ts";
import type { GivenItems } from "../../kernel/given-items.ts";
import { givenItems } from "../../team/item/given-items.ts";
import { ItemSecrets } from "../../team/item/item-secrets.ts";
import { createItemRpc } from "../../team/item/item.rpc.ts";
import { admittedCallers } from "../../platform/repeat-checks.ts";
import { mountedService, type MountedService } from "../../transport/mounted-service.ts";
import type { Foundation } from "../foundation.ts";

export interface ItemWiring {
  readonly services: readonly MountedService[];
  /** What the agent works with on somebody's behalf. */
  givenItems(receiver: AgentReceiver): Promise<GivenItems>;
}

/** Builds the items of people and the pools of teams. */
export function wireItems({ storage, dialer, clock }: Foundation): ItemWiring {
  const secrets = new ItemSecrets(storage.box);
  return {
    services: [
      mountedService(ItemService, createItemRpc({ dialer, secrets, clock }), {
        createItem: admittedCallers,
      }),
    ],
    givenItems: (receiver) => givenItems(storage.database.fork(), receiver, secrets),
  };
}
