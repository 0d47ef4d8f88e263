import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  CreateUserSessionResponseSchema,
  DeletedUserSchema,
  ListAdminAuditResponseSchema,
  ListUserKeysResponseSchema,
  ListUsersResponseSchema,
  UpdateUserRequestSchema,
  type AdminService,
} from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import type { Clock } from "../platform/clock.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { readFieldMaskPaths } from "../platform/field-mask.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import { viewAuditEvent } from "../domain/audit/audit-event.view.ts";
import { listAuditEvents } from "../domain/audit/audit-log.ts";
import { readNewCallerKeySettings } from "./key-request.ts";
import { createCallerKeyViewMapper, viewKeyWithSpend, type KeySpendLookup } from "./key-spend.ts";
import { viewKeyWithSecret } from "./key.view.ts";
import { createKey } from "./create-key.ts";
import { buildKeysCreatedByUserFilter, listKeys } from "./key-filter.ts";
import { revokeKey } from "./keys.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import { createSession } from "./sessions.ts";
import type { TokenHasher } from "./token-hasher.ts";
import { viewUser } from "./user.view.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  setUserDisabled,
  type DeleteUserDependencies,
} from "./users.ts";

export interface AdminRpcDependencies extends DeleteUserDependencies {
  readonly hasher: TokenHasher;
  readonly keySpend: KeySpendLookup;
  readonly clock: Clock;
}

const idOf = ({ id }: { readonly id: string }) => id;

/** What the operator does to users, their keys and sessions. */
export function createAdminRpc(
  dependencies: AdminRpcDependencies,
): ServiceImpl<typeof AdminService> {
  return { ...userMethods(dependencies), ...credentialMethods(dependencies) };
}

type Methods<Name extends keyof ServiceImpl<typeof AdminService>> = Pick<
  ServiceImpl<typeof AdminService>,
  Name
>;

function userMethods(
  dependencies: AdminRpcDependencies,
): Methods<"createUser" | "listUsers" | "updateUser" | "deleteUser" | "listAdminAudit"> {
  const { clock, teams } = dependencies;
  return {
    async createUser({ email, name }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewUser(await createUser(em, actor, { email, name }));
    },
    async listUsers(request, context) {
      const { em } = readRpcContext(context, clock);
      const page = await listUsers(em, readPageRequest(request));
      return create(ListUsersResponseSchema, toListEnvelope(page, viewUser, idOf));
    },
    async updateUser(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { userId, disabled } = request;
      const changes = readFieldMaskPaths(UpdateUserRequestSchema, request, ["user_id"]);
      if (!changes.has("disabled")) return viewUser(await getUser(em, userId));
      if (disabled === undefined)
        throw invalidRequestError("disabled", "`disabled` must have a value.");
      return viewUser(await setUserDisabled(em, actor, userId, disabled, teams));
    },
    async deleteUser({ userId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await deleteUser(em, actor, userId, dependencies);
      return create(DeletedUserSchema, { id: userId, object: "user", deleted: true });
    },
    async listAdminAudit(request, context) {
      const { em } = readRpcContext(context, clock);
      const page = await listAuditEvents(em, undefined, readPageRequest(request));
      return create(ListAdminAuditResponseSchema, toListEnvelope(page, viewAuditEvent, idOf));
    },
  };
}

function credentialMethods(
  dependencies: AdminRpcDependencies,
): Methods<"createUserKey" | "listUserKeys" | "revokeUserKey" | "createUserSession"> {
  const { clock, hasher, keySpend: spending } = dependencies;
  return {
    async createUserKey(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { userId, teamId } = request;
      const settings = readNewCallerKeySettings(request);
      const made = await createKey(em, actor, { userId, teamId }, settings, dependencies);
      return viewKeyWithSecret(made);
    },
    async listUserKeys(request, context) {
      const { em } = readRpcContext(context, clock);
      const pageRequest = readPageRequest(request);
      await getUser(em, request.userId);
      const page = await listKeys(em, buildKeysCreatedByUserFilter(request.userId), pageRequest);
      const view = await createCallerKeyViewMapper(em, page.rows, spending);
      return create(ListUserKeysResponseSchema, toListEnvelope(page, view, idOf));
    },
    async revokeUserKey({ userId, id }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewKeyWithSpend(
        em,
        await revokeKey(em, actor, id, buildKeysCreatedByUserFilter(userId)),
        spending,
      );
    },
    async createUserSession({ userId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { token } = await em.transactional(async (tx) =>
        createSession(tx, actor, await getUser(tx, userId), hasher),
      );
      return create(CreateUserSessionResponseSchema, { token });
    },
  };
}
