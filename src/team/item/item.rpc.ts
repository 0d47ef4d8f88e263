import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DeletedItemSchema,
  ListItemsResponseSchema,
  ListTeamItemsResponseSchema,
  type ItemService,
} from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { createResponseMemoryReserver } from "../../domain/response-memory.ts";
import { readRpcContext } from "../../domain/rpc-context.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import { requireAccountId } from "../../platform/endpoint/require-account.ts";
import { toListEnvelope, readPageRequest } from "../../platform/pagination.ts";
import { createAgentItem, type AgentItemDependencies } from "./create-item.ts";
import { readAgentItemChanges, readNewAgentItem } from "./item-request.ts";
import { viewAgentItem, viewItemWithoutHeaders } from "./item.view.ts";
import type { AgentItem } from "./item.entity.ts";
import { deleteAgentItem, listAgentItems } from "./items.ts";
import {
  listPooledAgentItems,
  addItemToPool,
  unpoolAgentItem,
  type PooledItemWithHeaderVisibility,
} from "./team-items.ts";
import { updateAgentItem } from "./update-item.ts";

type Methods<Name extends keyof ServiceImpl<typeof ItemService>> = Pick<
  ServiceImpl<typeof ItemService>,
  Name
>;

/** Everything the handlers of items and of pools work with. */
export interface AgentItemRpcDependencies extends AgentItemDependencies {
  /** Counts the pages of items. */
  readonly bodies: RequestBodyMemoryBudget;
}

/** The handlers of items and of pools. */
export function createAgentItemRpc(
  dependencies: AgentItemRpcDependencies,
): ServiceImpl<typeof ItemService> {
  return { ...itemMethods(dependencies), ...poolMethods(dependencies) };
}

function itemMethods(
  dependencies: AgentItemRpcDependencies,
): Methods<"listItems" | "createItem" | "updateItem" | "deleteItem"> {
  const view = (row: AgentItem) => viewAgentItem(row, dependencies.secrets);
  return {
    async listItems(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      const accountId = requireAccountId(actor.principal);
      const hold = createResponseMemoryReserver(dependencies.bodies, accountId, context);
      const page = await listAgentItems(em, actor, readPageRequest(request), hold);
      return create(ListItemsResponseSchema, toListEnvelope(page, view, idOf));
    },
    async createItem(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await createAgentItem(em, actor, readNewAgentItem(request), dependencies));
    },
    async updateItem(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(
        await updateAgentItem(em, actor, request.id, readAgentItemChanges(request), dependencies),
      );
    },
    async deleteItem({ id }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      await deleteAgentItem(em, actor, id);
      return create(DeletedItemSchema, { id, object: "item", deleted: true });
    },
  };
}

function poolMethods(
  dependencies: AgentItemRpcDependencies,
): Methods<"listTeamItems" | "poolItem" | "unpoolItem"> {
  const view = ({ item, canSeeHeaders: showsHeaders }: PooledItemWithHeaderVisibility) =>
    showsHeaders ? viewAgentItem(item, dependencies.secrets) : viewItemWithoutHeaders(item);
  return {
    async listTeamItems(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      const asked = readPageRequest(request);
      const accountId = requireAccountId(actor.principal);
      const hold = createResponseMemoryReserver(dependencies.bodies, accountId, context);
      const page = await listPooledAgentItems(em, actor, request.teamId, asked, hold);
      return create(
        ListTeamItemsResponseSchema,
        toListEnvelope(page, view, ({ item }) => item.id),
      );
    },
    async poolItem({ teamId, itemId }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await addItemToPool(em, actor, teamId, itemId));
    },
    async unpoolItem({ teamId, itemId }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await unpoolAgentItem(em, actor, teamId, itemId));
    },
  };
}

const idOf = ({ id }: AgentItem) => id;
