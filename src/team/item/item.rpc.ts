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
import { createAgentExtension, type AgentExtensionDependencies } from "./create-item.ts";
import { parseAgentExtensionPatch, parseNewAgentExtension } from "./item-request.ts";
import { viewAgentExtension, viewExtensionWithoutHeaders } from "./item.view.ts";
import type { AgentExtension } from "./item.entity.ts";
import { deleteAgentExtension, listAgentExtensions } from "./items.ts";
import {
  listPooledAgentExtensions,
  addExtensionToTeamPool,
  removeExtensionFromTeamPool,
  type PooledExtensionWithHeaderVisibility,
} from "./team-items.ts";
import { updateAgentExtension } from "./update-item.ts";

type Methods<Name extends keyof ServiceImpl<typeof ItemService>> = Pick<
  ServiceImpl<typeof ItemService>,
  Name
>;

/** Everything the handlers of items and of pools work with. */
export interface AgentExtensionRpcDependencies extends AgentExtensionDependencies {
  /** Counts the pages of items. */
  readonly bodies: RequestBodyMemoryBudget;
}

/** The handlers of items and of pools. */
export function createAgentExtensionRpc(
  dependencies: AgentExtensionRpcDependencies,
): ServiceImpl<typeof ItemService> {
  return { ...itemMethods(dependencies), ...poolMethods(dependencies) };
}

function itemMethods(
  dependencies: AgentExtensionRpcDependencies,
): Methods<"listItems" | "createItem" | "updateItem" | "deleteItem"> {
  const view = (row: AgentExtension) => viewAgentExtension(row, dependencies.secrets);
  return {
    async listItems(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      const accountId = requireAccountId(actor.principal);
      const hold = createResponseMemoryReserver(dependencies.bodies, accountId, context);
      const page = await listAgentExtensions(em, actor, readPageRequest(request), hold);
      return create(ListItemsResponseSchema, toListEnvelope(page, view, idOf));
    },
    async createItem(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(
        await createAgentExtension(em, actor, parseNewAgentExtension(request), dependencies),
      );
    },
    async updateItem(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(
        await updateAgentExtension(
          em,
          actor,
          request.id,
          parseAgentExtensionPatch(request),
          dependencies,
        ),
      );
    },
    async deleteItem({ id }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      await deleteAgentExtension(em, actor, id);
      return create(DeletedItemSchema, { id, object: "item", deleted: true });
    },
  };
}

function poolMethods(
  dependencies: AgentExtensionRpcDependencies,
): Methods<"listTeamItems" | "poolItem" | "unpoolItem"> {
  const view = ({ item, canSeeHeaders: showsHeaders }: PooledExtensionWithHeaderVisibility) =>
    showsHeaders
      ? viewAgentExtension(item, dependencies.secrets)
      : viewExtensionWithoutHeaders(item);
  return {
    async listTeamItems(request, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      const asked = readPageRequest(request);
      const accountId = requireAccountId(actor.principal);
      const hold = createResponseMemoryReserver(dependencies.bodies, accountId, context);
      const page = await listPooledAgentExtensions(em, actor, request.teamId, asked, hold);
      return create(
        ListTeamItemsResponseSchema,
        toListEnvelope(page, view, ({ item }) => item.id),
      );
    },
    async poolItem({ teamId, itemId }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await addExtensionToTeamPool(em, actor, teamId, itemId));
    },
    async unpoolItem({ teamId, itemId }, context) {
      const { em, actor } = readRpcContext(context, dependencies.clock);
      return view(await removeExtensionFromTeamPool(em, actor, teamId, itemId));
    },
  };
}

const idOf = ({ id }: AgentExtension) => id;
