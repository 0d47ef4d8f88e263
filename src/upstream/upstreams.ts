import { LockMode, type EntityManager, type FilterQuery } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { notFoundError } from "../platform/errors.ts";
import { findPage, type Page, type PageRequest } from "../platform/pagination.ts";
import { dropModelsOverAccountLimit, lockAccountEndpointCreation } from "./endpoint-limits.ts";
import { buildUpstreamAuditDetails } from "./upstream-details.ts";
import {
  mergeProbeIntoUpstream,
  probeUpstreamRow,
  type CustomEndpointDependencies,
} from "./upstream-probe.ts";
import { CustomEndpointEntity, type CustomEndpoint } from "./upstream.entity.ts";

/** A page of the account's endpoints, oldest first; slugs are the cursors. */
export function listUpstreams(
  em: EntityManager,
  actor: AuditActor,
  request: PageRequest,
): Promise<Page<CustomEndpoint>> {
  return findPage(em, CustomEndpointEntity, request, {
    everListedFilter: { accountId: requireAccountId(actor.principal) },
    listed: { deletedAt: null },
    orderBy: { createdAt: "asc", id: "asc" },
    byId: (slug) => ({ slug }),
  });
}

/** The endpoint of a slug. Throws 404 `not_found`. */
async function findUpstream(
  em: EntityManager,
  actor: AuditActor,
  slug: string,
): Promise<CustomEndpoint> {
  const row = await em.findOne(CustomEndpointEntity, liveRow(actor, slug), {
    disableIdentityMap: true,
  });
  if (row === null) throw notFoundError("endpoint");
  return row;
}

/** The same, locked until the transaction of `em` ends. */
export async function lockUpstream(
  em: EntityManager,
  actor: AuditActor,
  slug: string,
): Promise<CustomEndpoint> {
  const row = await em.findOne(CustomEndpointEntity, liveRow(actor, slug), {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
  if (row === null) throw notFoundError("endpoint");
  return row;
}

/**
 * Dials the stored endpoint and folds what it lists into the row. A failed
 * probe is a result. Throws 404 `not_found`, 429 after too many probes.
 */
export async function probeStoredUpstream(
  em: EntityManager,
  actor: AuditActor,
  slug: string,
  dependencies: CustomEndpointDependencies,
): Promise<CustomEndpoint> {
  const row = await findUpstream(em, actor, slug);
  await dependencies.budget.take(row.accountId);
  return probeAndUpdateCustomEndpoint(em, actor, row, dependencies);
}

/** Probes what the row describes, and keeps the result if the row still describes it then. */
export async function probeAndUpdateCustomEndpoint(
  em: EntityManager,
  actor: AuditActor,
  described: CustomEndpoint,
  dependencies: CustomEndpointDependencies,
): Promise<CustomEndpoint> {
  const { id, slug, dialRevision } = described;
  const result = await probeUpstreamRow(described, dependencies);
  return em.transactional(async (tx) => {
    const row = await lockUpstream(tx, actor, slug);
    const isSame = row.id === id && row.dialRevision === dialRevision;
    if (!isSame) return row;
    const known = row.models.length;
    mergeProbeIntoUpstream(row, result, dependencies.clock.now());
    if (row.models.length > known) {
      await lockAccountEndpointCreation(tx, row.accountId);
      await dropModelsOverAccountLimit(tx, row, known);
    }
    return row;
  });
}

/** Removes an endpoint with its secrets; the rest stays as a cursor. Throws 404 `not_found`. */
export function deleteUpstream(em: EntityManager, actor: AuditActor, slug: string): Promise<void> {
  return em.transactional(async (tx) => {
    const row = await lockUpstream(tx, actor, slug);
    const { accountId } = row;
    const before = buildUpstreamAuditDetails(row);
    Object.assign(row, { apiKey: null, headers: null, probe: null, deletedAt: actor.at });
    recordAudit(tx, actor, { accountId, type: "upstream.deleted", target: slug, before });
  });
}

/** Removes everything of an account that is itself being removed. */
export async function eraseUpstreams(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(CustomEndpointEntity, { accountId });
}

function liveRow(actor: AuditActor, slug: string): FilterQuery<CustomEndpoint> {
  return { accountId: requireAccountId(actor.principal), slug, deletedAt: null };
}
