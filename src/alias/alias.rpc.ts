import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import {
  AliasCustody,
  AliasWriteSchema,
  ListAliasesResponseSchema,
  type AliasChanges,
  type AliasService,
  type SetAliasRequest,
} from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import type { AliasRouting } from "../domain/alias-target.ts";
import type { Clock } from "../platform/clock.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { invalidRequestError } from "../platform/errors.ts";
import type { AliasSecretCustody } from "./alias.entity.ts";
import { readAliasRoutingFromRequest } from "./read-alias-targets.ts";
import type { AliasChangeWatcher } from "./alias-watcher.ts";
import {
  viewAlias,
  viewAliasChanges,
  viewGlobalAlias,
  type VendorAvailabilityPredicate,
} from "./alias.view.ts";
import {
  listAliasesChangedSinceRevision,
  deleteAlias,
  listAccountAliases,
  setAlias,
  type AliasDefinition,
} from "./aliases.ts";
import type { GlobalAlias } from "./global-aliases.ts";

/** What aliases must know of vendors and endpoints, which are other domains. */
export interface AliasRpcDependencies {
  readonly globalAliases: readonly GlobalAlias[];
  /** Whether there is such a vendor, or such an endpoint of the account. */
  readonly exists: (accountId: string, vendor: string) => Promise<boolean>;
  /** What of them the account can call now. */
  readonly availability: (accountId: string) => Promise<VendorAvailabilityPredicate>;
  readonly watch: AliasChangeWatcher;
  readonly clock: Clock;
}

/** The handlers of aliases. */
export function createAliasRpc(
  dependencies: AliasRpcDependencies,
): ServiceImpl<typeof AliasService> {
  const { globalAliases: standing, clock, availability, watch } = dependencies;
  const begin = (context: HandlerContext) => {
    const call = readRpcContext(context, clock);
    return { ...call, accountId: requireAccountId(call.actor.principal) };
  };
  return {
    async listAliases(_request, context) {
      const { em, accountId } = begin(context);
      const isAvailable = await availability(accountId);
      const own = await listAccountAliases(em, accountId);
      const aliases = [
        ...own.map((alias) => viewAlias(alias, isAvailable)),
        ...standing.map((alias) => viewGlobalAlias(alias, isAvailable)),
      ];
      return create(ListAliasesResponseSchema, { aliases });
    },
    async setAlias(request, context) {
      const { em, actor, accountId } = begin(context);
      const models = readAliasRoutingFromRequest(request);
      await assertKnown(dependencies, accountId, models);
      const rev = await setAlias(em, actor, newAlias(request, models));
      return aliasWritten(request.token, rev);
    },
    async deleteAlias({ token }, context) {
      const { em, actor } = begin(context);
      return aliasWritten(token, await deleteAlias(em, actor, token));
    },
    async listAliasChanges({ afterRev }, context) {
      const { em, accountId } = begin(context);
      return loadAliasChanges(em, availability, accountId, Number(afterRev ?? 0n));
    },
    watchAliases: ({ afterRev }, context) =>
      watch.follow(begin(context).accountId, Number(afterRev ?? 0n), context.signal),
  };
}

/** Reads what was written after a revision, as devices hear it. */
export async function loadAliasChanges(
  em: EntityManager,
  availability: AliasRpcDependencies["availability"],
  accountId: string,
  afterRev: number,
): Promise<AliasChanges> {
  const history = await listAliasesChangedSinceRevision(em, accountId, afterRev);
  return viewAliasChanges(history, await availability(accountId));
}

/** Throws 400 for a vendor or an endpoint that there is not. */
async function assertKnown(
  { exists }: AliasRpcDependencies,
  accountId: string,
  { targets }: AliasRouting,
): Promise<void> {
  for (const [index, { vendor }] of targets.entries()) {
    if (await exists(accountId, vendor)) continue;
    throw unknownVendor(targets.length === 1 ? "vendor" : `targets[${index}].vendor`, vendor);
  }
}

function newAlias(
  { token, label, custody }: SetAliasRequest,
  models: AliasRouting,
): AliasDefinition {
  return { token, models, label, custody: custodyOf(custody) };
}

function custodyOf(custody: AliasCustody | undefined): AliasSecretCustody {
  return custody === AliasCustody.DEVICE_HELD ? "device-held" : "envelope";
}

function aliasWritten(token: string, rev: number) {
  return create(AliasWriteSchema, { ok: true, token, rev: BigInt(rev) });
}

function unknownVendor(param: string, vendor: string): Error {
  const what = vendor.startsWith("custom/") ? "custom endpoint" : "vendor";
  return invalidRequestError(
    param,
    `There is no ${what} \`${vendor.slice(0, 80)}\`; name a vendor of GET /v1/vendors, or \`custom/<slug>\`.`,
  );
}
