import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import {
  ListAdminCallsResponseSchema,
  ListCallsResponseSchema,
  type Call as CallView,
  type CallService,
  type ListAdminCallsRequest,
  type ListCallsRequest,
} from "../../gen/ts/causeway/call/v1/call_pb.ts";
import type { LedgerCallUsage } from "../domain/call-usage.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import { readTimeRange } from "../domain/time-range.ts";
import type { Clock } from "../platform/clock.ts";
import { ApiError, notFoundError } from "../platform/errors.ts";
import { toListEnvelope, readPageRequest, type Page } from "../platform/pagination.ts";
import type { Principal } from "../platform/principal.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import type { LoggedCall } from "./call.entity.ts";
import { viewLoggedCall, viewLoggedCallForOperator } from "./call.view.ts";
import {
  findLoggedCall,
  findCallLogPage,
  type CallLogFilters,
  type CallLogScope,
} from "./find-calls.ts";

/** What calls must know of teams and of the ledger, which are other domains. */
export interface CallLogRpcDependencies {
  readonly clock: Clock;
  /** For how long calls are kept. */
  readonly retentionMs: number;
  /** Writes the calls that this process has noted; resolves when they are written or that has failed. */
  readonly flushCalls: () => Promise<void>;
  /** Throws 404 for a team that the caller is no member of, 403 below admin. */
  readonly assertManagesTeam: (
    em: EntityManager,
    teamId: string,
    principal: Principal,
  ) => Promise<void>;
  /** Teams that a person is an owner or admin of. */
  readonly teamsManagedBy: (em: EntityManager, userId: string) => Promise<readonly string[]>;
  /** By call id; calls that used nothing are left out. */
  readonly usedByCalls: (
    em: EntityManager,
    callIds: readonly string[],
  ) => Promise<ReadonlyMap<string, LedgerCallUsage>>;
}

type ViewCall = (call: LoggedCall, use: LedgerCallUsage | undefined) => CallView;

/** The handlers of the log of calls. */
export function createCallLogRpc(
  dependencies: CallLogRpcDependencies,
): ServiceImpl<typeof CallService> {
  const { clock, flushCalls } = dependencies;
  return {
    async listCalls(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const scope = await scopeOfList(dependencies, em, actor.principal, request.teamId);
      const page = await findPage(dependencies, em, scope, request);
      return create(
        ListCallsResponseSchema,
        await envelope(dependencies, em, page, viewLoggedCall),
      );
    },
    async getCall({ id }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await flushCalls();
      const call = await findAccountCall(dependencies, em, actor.principal, id);
      const used = await dependencies.usedByCalls(em, [id]);
      return viewLoggedCall(call, used.get(id));
    },
    async listAdminCalls(request, context) {
      const { em } = readRpcContext(context, clock);
      const scope = { accountId: request.accountId, keyId: undefined };
      const page = await findPage(dependencies, em, scope, request);
      const list = await envelope(dependencies, em, page, viewLoggedCallForOperator);
      return create(ListAdminCallsResponseSchema, list);
    },
  };
}

async function findPage(
  { clock, retentionMs: keptMs, flushCalls }: CallLogRpcDependencies,
  em: EntityManager,
  scope: CallLogScope,
  request: ListCallsRequest | ListAdminCallsRequest,
): Promise<Page<LoggedCall>> {
  const [filters, pageRequest] = [filtersOf(request), readPageRequest(request)];
  // What this process has not written yet belongs to the answer.
  await flushCalls();
  return findCallLogPage(em, scope, filters, pageRequest, clock.now() - keptMs);
}

async function envelope(
  { usedByCalls }: CallLogRpcDependencies,
  em: EntityManager,
  page: Page<LoggedCall>,
  view: ViewCall,
) {
  const used = await usedByCalls(em, page.rows.map(idOf));
  return toListEnvelope(page, (call) => view(call, used.get(call.id)), idOf);
}

function filtersOf(request: ListCallsRequest | ListAdminCallsRequest): CallLogFilters {
  const { model, keyId, status, errorCode, tag } = request;
  return { range: readTimeRange(request), model, keyId, status, errorCode, tag };
}

/** A key sees its own calls, and no more of a team than of its account. */
async function scopeOfList(
  { assertManagesTeam }: CallLogRpcDependencies,
  em: EntityManager,
  principal: Principal,
  teamId: string | undefined,
): Promise<CallLogScope> {
  const keyId = principal.kind === "key" ? principal.keyId : undefined;
  if (teamId === undefined) return { accountId: requireAccountId(principal), keyId };
  if (keyId !== undefined) throw assertKeyScope();
  await assertManagesTeam(em, teamId, principal);
  return { accountId: teamId, keyId };
}

/** Of the caller's own account, and for a person of the teams that it manages. Throws 404. */
async function findAccountCall(
  { teamsManagedBy }: CallLogRpcDependencies,
  em: EntityManager,
  principal: Principal,
  id: string,
): Promise<LoggedCall> {
  const teams = principal.kind === "session" ? await teamsManagedBy(em, principal.userId) : [];
  const keyId = principal.kind === "key" ? principal.keyId : undefined;
  const call = await findLoggedCall(em, [requireAccountId(principal), ...teams], keyId, id);
  if (call === null) throw notFoundError("call", "account");
  return call;
}

function assertKeyScope(): ApiError {
  return new ApiError(
    "insufficient_scope",
    "A caller key sees its own calls; sign in to see those of a team.",
  );
}

function idOf({ id }: LoggedCall): string {
  return id;
}
