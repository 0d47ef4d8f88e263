import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DeletedItemSchema,
  ListItemsResponseSchema,
  ListTeamItemsResponseSchema,
  type ItemService,
} from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { readRpcContext } from "../../domain/rpc-context.ts";
import { toListEnvelope, readPageRequest } from "../../platform/pagination.ts";
import { createItem, type ItemDependencies } from "./create-item.ts";
import { readItemChanges, readNewItem } from "./item-request.ts";
import { viewItem, viewItemWithoutHeaders } from "./item.view.ts";
import type { Item } from "./item.entity.ts";
import { deleteItem, listItems } from "./items.ts";
import { listPooledItems, poolItem, unpoolItem, type ItemWithHeaderAccess } from "./team-items.ts";
import { updateItem } from "./update-item.ts";

type Methods<Name extends keyof ServiceImpl<typeof ItemService>> = Pick<
  ServiceImpl<typeof ItemService>,
  Name
>;

/** The handlers of items and of pools. */
export function createItemRpc(dependencies: ItemDependencies): ServiceImpl<typeof ItemService> {
  return { ...itemMethods(dependencies), ...poolMethods(dependencies) };
}

function itemMethods(
  dependencies: ItemDependencies,
): Methods<"listItems" | "createItem" | "updateItem" | "deleteItem"> {
  const view = (row: Item) => viewItem(row, dependencies.secrets);
  return {
    async listItems(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      const page = await listItems(em, actor, readPageRequest(request));
      return create(ListItemsResponseSchema, toListEnvelope(page, view, idOf));
    },
    async createItem(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await createItem(em, actor, readNewItem(request), dependencies));
    },
    async updateItem(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await updateItem(em, actor, request.id, readItemChanges(request), dependencies));
    },
    async deleteItem({ id }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      await deleteItem(em, actor, id);
      return create(DeletedItemSchema, { id, object: "item", deleted: true });
    },
  };
}

function poolMethods(
  dependencies: ItemDependencies,
): Methods<"listTeamItems" | "poolItem" | "unpoolItem"> {
  const view = ({ item, canSeeHeaders: showsHeaders }: ItemWithHeaderAccess) =>
    showsHeaders ? viewItem(item, dependencies.secrets) : viewItemWithoutHeaders(item);
  return {
    async listTeamItems(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      const page = await listPooledItems(em, actor, request.teamId, readPageRequest(request));
      return create(
        ListTeamItemsResponseSchema,
        toListEnvelope(page, view, ({ item }) => item.id),
      );
    },
    async poolItem({ teamId, itemId }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await poolItem(em, actor, teamId, itemId));
    },
    async unpoolItem({ teamId, itemId }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await unpoolItem(em, actor, teamId, itemId));
    },
  };
}

const idOf = ({ id }: Item) => id;
