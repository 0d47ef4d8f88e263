import { create } from "@bufbuild/protobuf";
import { KeyWithSecretSchema } from "../../gen/ts/causeway/account/v1/key_pb.ts";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  DeletedSessionSchema,
  FinishSignInResponseSchema,
  ListAuditResponseSchema,
  ListSessionsResponseSchema,
  SignOutResponseSchema,
  StartSignInResponseSchema,
  type AccountService,
} from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { ListKeysResponseSchema } from "../../gen/ts/causeway/account/v1/key_pb.ts";
import type { Clock } from "../platform/clock.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import { viewAuditEvent } from "../domain/audit/audit-event.view.ts";
import { listAuditEvents } from "../domain/audit/audit-log.ts";
import { finishSignIn, type FinishSignInDependencies } from "./finish-sign-in.ts";
import { readCallerKeyUpdate, readNewCallerKeySettings } from "./key-request.ts";
import { createCallerKeyViewMapper, viewKeyWithSpend, type KeySpendLookup } from "./key-spend.ts";
import { viewKeyWithSecret } from "./key.view.ts";
import { createKey } from "./create-key.ts";
import { buildKeysManagedByUserFilter, listKeys } from "./key-filter.ts";
import { revokeKey, rotateKey, updateKey } from "./keys.ts";
import { readRpcContext, requireSessionRpcContext } from "../domain/rpc-context.ts";
import { serializeExpiredSessionCookie, serializeSessionCookie } from "./session-cookie.ts";
import { viewSession } from "./session.view.ts";
import { revokeSession, listSessions } from "./sessions.ts";
import type { SignInCodeMailer } from "./sign-in-starter.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";
import { viewUser } from "./user.view.ts";
import { getUser } from "./users.ts";

export interface AccountRpcDependencies extends FinishSignInDependencies {
  readonly startSignIn: Pick<SignInCodeMailer, "start">;
  readonly teams: TeamMembershipLookup;
  readonly keySpend: KeySpendLookup;
  readonly clock: Clock;
  /** Where browsers reach this service: decides whether the cookie is marked secure. */
  readonly publicUrl: () => string;
}

const idOf = ({ id }: { readonly id: string }) => id;

/** Signing in, and the caller's own sessions, keys and audit log. */
export function createAccountRpc(
  dependencies: AccountRpcDependencies,
): ServiceImpl<typeof AccountService> {
  return {
    ...signInMethods(dependencies),
    ...sessionMethods(dependencies),
    ...keyMethods(dependencies),
  };
}

type Methods<Name extends keyof ServiceImpl<typeof AccountService>> = Pick<
  ServiceImpl<typeof AccountService>,
  Name
>;

function signInMethods(
  dependencies: AccountRpcDependencies,
): Methods<"startSignIn" | "finishSignIn" | "signOut" | "getMe"> {
  const { clock, startSignIn, publicUrl } = dependencies;
  return {
    async startSignIn({ email }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await startSignIn.start(em, actor, email);
      return create(StartSignInResponseSchema, { ok: true });
    },
    async finishSignIn({ email, code }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { user, token } = await finishSignIn(em, actor, { email, code }, dependencies);
      context.responseHeader.append("set-cookie", serializeSessionCookie(token, publicUrl()));
      return create(FinishSignInResponseSchema, { token, user: viewUser(user) });
    },
    async signOut(_request, context) {
      const { em, actor, session } = requireSessionRpcContext(context, clock);
      await revokeSession(em, actor, session.userId, session.sessionId);
      context.responseHeader.append("set-cookie", serializeExpiredSessionCookie(publicUrl()));
      return create(SignOutResponseSchema, { ok: true });
    },
    async getMe(_request, context) {
      const { em, session } = requireSessionRpcContext(context, clock);
      return viewUser(await getUser(em, session.userId));
    },
  };
}

function sessionMethods({
  clock,
}: AccountRpcDependencies): Methods<"listSessions" | "revokeSession" | "listAudit"> {
  return {
    async listSessions(request, context) {
      const { em, actor, session } = requireSessionRpcContext(context, clock);
      const page = await listSessions(em, session.userId, actor.at, readPageRequest(request));
      return create(ListSessionsResponseSchema, toListEnvelope(page, viewSession, idOf));
    },
    async revokeSession({ id }, context) {
      const { em, actor, session } = requireSessionRpcContext(context, clock);
      await revokeSession(em, actor, session.userId, id);
      return create(DeletedSessionSchema, { id, object: "session", deleted: true });
    },
    async listAudit(request, context) {
      const { em, session } = requireSessionRpcContext(context, clock);
      const page = await listAuditEvents(em, session.accountId, readPageRequest(request));
      return create(ListAuditResponseSchema, toListEnvelope(page, viewAuditEvent, idOf));
    },
  };
}

function keyMethods(
  dependencies: AccountRpcDependencies,
): Methods<"listKeys" | "createKey" | "updateKey" | "revokeKey" | "rotateKey"> {
  const { hasher, clock, keySpend: spending } = dependencies;
  const managedCall = async (context: HandlerContext) => {
    const call = requireSessionRpcContext(context, clock);
    const selection = await buildKeysManagedByUserFilter(
      call.em,
      call.session.userId,
      dependencies.teams,
    );
    return { ...call, selection };
  };
  return {
    async listKeys(request, context) {
      const { em, selection } = await managedCall(context);
      const page = await listKeys(em, selection, readPageRequest(request));
      const view = await createCallerKeyViewMapper(em, page.rows, spending);
      return create(ListKeysResponseSchema, toListEnvelope(page, view, idOf));
    },
    async createKey(request, context) {
      const { em, actor, session } = requireSessionRpcContext(context, clock);
      const owner = { userId: session.userId, teamId: request.teamId };
      const settings = readNewCallerKeySettings(request);
      return viewKeyWithSecret(await createKey(em, actor, owner, settings, dependencies));
    },
    async updateKey(request, context) {
      const { em, actor, selection } = await managedCall(context);
      const { changes, limitPatch: parts } = readCallerKeyUpdate(request);
      const key = await updateKey(em, actor, request.id, selection, changes, parts);
      return viewKeyWithSpend(em, key, spending);
    },
    async revokeKey({ id }, context) {
      const { em, actor, selection } = await managedCall(context);
      return viewKeyWithSpend(em, await revokeKey(em, actor, id, selection), spending);
    },
    async rotateKey({ id }, context) {
      const { em, actor, selection } = await managedCall(context);
      const rotated = await rotateKey(em, actor, id, selection, hasher);
      const key = await viewKeyWithSpend(em, rotated.key, spending);
      return create(KeyWithSecretSchema, { key, secret: rotated.secret });
    },
  };
}
