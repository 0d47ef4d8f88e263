import type { EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import type { AuditDetails } from "../domain/audit/audit-event.entity.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { invalidRequestError } from "../platform/errors.ts";
import type { AliasRouting, AliasTarget } from "../domain/alias-target.ts";
import {
  AliasRevisionCounterEntity,
  AliasEntity,
  type Alias,
  type AliasSecretCustody,
} from "./alias.entity.ts";

/** Aliases that an account may have: its models are looked up in all of them. */
const maxAliases = 1000;

/** Deleted aliases of an account that are remembered for its devices. */
const maxDeletedAliases = 5000;

/** What a write of an alias says; it replaces the whole alias. */
export interface AliasDefinition {
  readonly token: string;
  readonly models: AliasRouting;
  readonly label: string | undefined;
  readonly custody: AliasSecretCustody;
}

/** The account's own aliases, by token. */
export function listAccountAliases(em: EntityManager, accountId: string): Promise<Alias[]> {
  return em.find(
    AliasEntity,
    { accountId, deletedAt: null },
    { orderBy: { token: "asc" }, disableIdentityMap: true },
  );
}

/** Creates or replaces one alias and returns the new revision of the account. Throws 400 for one too many. */
export function setAlias(
  em: EntityManager,
  actor: AuditActor,
  wanted: AliasDefinition,
): Promise<number> {
  const accountId = requireAccountId(actor.principal);
  return em.transactional(async (tx) => {
    const rev = await nextRevision(tx, accountId);
    const found = await tx.findOne(AliasEntity, { accountId, token: wanted.token });
    const before = found === null || found.deletedAt !== null ? undefined : aliasDetails(found);
    if (before === undefined) await assertRoomForAlias(tx, accountId);
    const row = {
      accountId,
      token: wanted.token,
      ...columnsOf(wanted.models),
      label: wanted.label ?? null,
      custody: wanted.custody,
      rev,
      updatedAt: actor.at,
      deletedAt: null,
    };
    if (found === null) tx.persist(tx.create(AliasEntity, row));
    else Object.assign(found, row);
    const type = before === undefined ? "alias.created" : "alias.updated";
    const after = aliasDetails(row);
    recordAudit(tx, actor, { accountId, type, target: wanted.token, before, after });
    return rev;
  });
}

/**
 * Deletes one alias; the answer is the revision of the account, which stays as it
 * was when there was no such alias.
 */
export function deleteAlias(em: EntityManager, actor: AuditActor, token: string): Promise<number> {
  const accountId = requireAccountId(actor.principal);
  return em.transactional(async (tx) => {
    const found = await tx.findOne(AliasEntity, { accountId, token, deletedAt: null });
    if (found === null) return currentRevision(tx, accountId);
    const rev = await nextRevision(tx, accountId);
    const before = aliasDetails(found);
    Object.assign(found, { rev, updatedAt: actor.at, deletedAt: actor.at });
    await tx.flush();
    await forgetOldestDeletedAliases(tx, accountId);
    recordAudit(tx, actor, { accountId, type: "alias.deleted", target: token, before });
    return rev;
  });
}

/** What was written after a revision, oldest first; an alias that was written twice comes once. */
export interface AliasesChangedSinceRevision {
  /** The account's revision now. */
  readonly rev: number;
  readonly changes: readonly Alias[];
}

/** Both are of one moment: the counter is read first, and later writes are left for the next time. */
export async function listAliasesChangedSinceRevision(
  em: EntityManager,
  accountId: string,
  afterRev: number,
): Promise<AliasesChangedSinceRevision> {
  const rev = await currentRevision(em, accountId);
  const changes = await em.find(
    AliasEntity,
    { accountId, rev: { $gt: afterRev, $lte: rev } },
    { orderBy: { rev: "asc" }, disableIdentityMap: true },
  );
  return { rev, changes };
}

/** The count is exact: the write before locked the counter of the account. */
async function assertRoomForAlias(em: EntityManager, accountId: string): Promise<void> {
  if ((await em.count(AliasEntity, { accountId, deletedAt: null })) < maxAliases) return;
  throw invalidRequestError(
    "token",
    `An account may have at most ${maxAliases} aliases. Delete one with DELETE /v1/aliases/{token} first.`,
  );
}

async function forgetOldestDeletedAliases(em: EntityManager, accountId: string): Promise<void> {
  await em.execute(
    `delete from "aliases" where "account_id" = ? and "deleted_at" is not null and "rev" <= (
       select "rev" from "aliases" where "account_id" = ? and "deleted_at" is not null
       order by "rev" desc offset ? limit 1)`,
    [accountId, accountId, maxDeletedAliases],
  );
}

/** Removes everything of an account that is itself being removed. */
export async function eraseAliases(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(AliasEntity, { accountId });
  await em.nativeDelete(AliasRevisionCounterEntity, { accountId });
}

async function currentRevision(em: EntityManager, accountId: string): Promise<number> {
  const row = await em.findOne(
    AliasRevisionCounterEntity,
    { accountId },
    { disableIdentityMap: true },
  );
  return row?.rev ?? 0;
}

/** Holds the counter until the transaction ends, so that revisions become visible in their order. */
async function nextRevision(em: EntityManager, accountId: string): Promise<number> {
  const [row] = await em.execute<{ rev: number }[]>(
    `insert into "alias_revisions" ("account_id", "rev") values (?, 1)
     on conflict ("account_id") do update set "rev" = "alias_revisions"."rev" + 1
     returning "rev"`,
    [accountId],
  );
  if (row === undefined) throw new Error("an insert gave no row back");
  return row.rev;
}

/** The first target stands in columns of its own, several in one besides. */
function columnsOf({ targets, strategy, affinity }: AliasRouting): TargetColumns {
  const [{ vendor, modelId = null }] = targets;
  const several = { targets, strategy, affinity };
  const one = { targets: null, strategy: null, affinity: null };
  return { vendor, modelId, ...(targets.length > 1 ? several : one) };
}

/** What an alias stands for. */
export function getAliasRouting({
  vendor,
  modelId,
  targets,
  strategy,
  affinity,
}: TargetColumns): AliasRouting {
  const [first = { vendor, modelId: modelId ?? undefined }, ...others] = targets ?? [];
  return {
    targets: [first, ...others],
    strategy: strategy ?? "order",
    affinity: affinity ?? "none",
  };
}

type TargetColumns = Pick<Alias, "vendor" | "modelId" | "targets" | "strategy" | "affinity">;

function aliasDetails(alias: TargetColumns & Pick<Alias, "label" | "custody">): AuditDetails {
  const { vendor, modelId, label, custody, targets, strategy, affinity } = alias;
  const details = { vendor, model_id: modelId, label, custody };
  if (targets === null) return details;
  return { ...details, targets: targets.map(targetDetails), strategy, affinity };
}

function targetDetails({ vendor, modelId, weight, route }: AliasTarget): AuditDetails {
  return {
    vendor,
    model_id: modelId ?? null,
    ...(weight !== undefined && { weight }),
    ...(route !== undefined && { route }),
  };
}
