import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import {
  ListUsageResponseSchema,
  UsageGroupingSchema,
  UsageRowSchema,
  WalletSchema as WalletMessage,
  type UsageRow,
  type Wallet,
  type WalletService,
} from "../../gen/ts/causeway/wallet/v1/wallet_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import { usdToNanoDigits, nanoDigitsToUsd } from "../domain/money.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import { readTimeRange } from "../domain/time-range.ts";
import type { Clock } from "../platform/clock.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { notFoundError } from "../platform/errors.ts";
import { toListEnvelope, paginateArray, readPageRequest } from "../platform/pagination.ts";
import { loadUsageReport, type UsageGrouping, type UsageGroupTotals } from "./usage-report.ts";
import { addCredits, readWallet, type WalletBalance } from "./wallets.ts";

/** What wallets must know of users and teams, which are other domains. */
export interface WalletRpcDependencies {
  readonly clock: Clock;
  /** Writes the calls that this process has noted; resolves when they are written or that has failed. */
  readonly flushCalls: () => Promise<void>;
  /** Whether there is such a user or team. */
  readonly accountExists: (em: EntityManager, accountId: string) => Promise<boolean>;
}

/** The handlers of wallets and usage. */
export function createWalletRpc(
  dependencies: WalletRpcDependencies,
): ServiceImpl<typeof WalletService> {
  const { clock } = dependencies;
  return {
    async getWallet(_request, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewWallet(await readWallet(em, requireAccountId(actor.principal)));
    },
    async listUsage(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { principal } = actor;
      const grouping =
        (enumNumberToName(UsageGroupingSchema, request.groupBy) as UsageGrouping | undefined) ??
        "day";
      // What this process has not written yet belongs to the answer.
      await dependencies.flushCalls();
      const sums = await loadUsageReport(em, {
        accountId: requireAccountId(principal),
        keyId: principal.kind === "key" ? principal.keyId : undefined,
        range: readTimeRange(request),
        grouping,
        tag: request.tag,
      });
      const page = paginateArray(readPageRequest(request), sums, groupOf);
      const view = (sum: UsageGroupTotals): UsageRow => viewUsage(sum, grouping);
      return create(ListUsageResponseSchema, toListEnvelope(page, view, groupOf));
    },
    async addUserCredits({ userId, amountUsd }, context) {
      const call = readRpcContext(context, clock);
      if (!(await dependencies.accountExists(call.em, userId)))
        throw notFoundError("user", "server");
      const nano = usdToNanoDigits(amountUsd, "amount_usd");
      return viewWallet(await addCredits(call.em, call.actor, userId, nano));
    },
    async addTeamCredits({ teamId, amountUsd }, context) {
      const call = readRpcContext(context, clock);
      if (!(await dependencies.accountExists(call.em, teamId)))
        throw notFoundError("team", "server");
      const nano = usdToNanoDigits(amountUsd, "amount_usd");
      return viewWallet(await addCredits(call.em, call.actor, teamId, nano));
    },
  };
}

function viewWallet({ balanceNano, heldNano }: WalletBalance): Wallet {
  return create(WalletMessage, {
    object: "wallet",
    balanceUsd: nanoDigitsToUsd(balanceNano),
    heldUsd: nanoDigitsToUsd(heldNano),
  });
}

function viewUsage(sum: UsageGroupTotals, grouping: UsageGrouping): UsageRow {
  return create(UsageRowSchema, {
    object: "usage",
    ...(grouping === "day" && { day: sum.group }),
    ...(grouping === "model" && { model: sum.group }),
    ...(grouping === "key" && { keyId: sum.group }),
    ...(grouping === "tag" && { tag: sum.group }),
    requests: BigInt(sum.requests),
    repeated: BigInt(sum.repeated),
    inputTokens: BigInt(sum.input),
    cachedInputTokens: BigInt(sum.cached),
    outputTokens: BigInt(sum.output),
    costUsd: nanoDigitsToUsd(sum.cost),
    estimated: sum.estimated,
  });
}

function groupOf({ group }: UsageGroupTotals): string {
  return group;
}
