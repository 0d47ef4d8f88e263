import type { EntityManager } from "@mikro-orm/postgresql";
import { takeAdvisoryLock } from "../platform/database/advisory-lock.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { CustomEndpointEntity, type CustomEndpoint } from "./upstream.entity.ts";

const maxEndpoints = 100;
/** Models of all endpoints of an account. */
const maxAccountModels = 10_000;

/** Lets one transaction at a time add endpoints or models to an account, until that of `em` ends. */
export function lockAccountEndpointCreation(em: EntityManager, accountId: string): Promise<void> {
  return takeAdvisoryLock(em, `upstream slugs of ${accountId}`);
}

/**
 * Throws 400 if an account has as many endpoints as it may have. Without `lockAccountEndpointCreation` before,
 * the answer may be out of date at once.
 */
export async function assertRoomForEndpoint(em: EntityManager, accountId: string): Promise<void> {
  const count = await em.count(CustomEndpointEntity, { accountId, deletedAt: null });
  if (count < maxEndpoints) return;
  throw invalidRequestError(
    "base_url",
    `An account may have at most ${maxEndpoints} endpoints. Delete one with DELETE /v1/upstreams/{slug} first.`,
  );
}

/** Throws 400 if `sent` models of an endpoint are too many for its account. Call `lockAccountEndpointCreation` before. */
export async function assertRoomForModels(
  em: EntityManager,
  row: CustomEndpoint,
  sent: number,
): Promise<void> {
  if (sent <= (await readModelRoom(em, row))) return;
  throw invalidRequestError(
    "models",
    `The endpoints of an account may have at most ${maxAccountModels} models together. Send fewer models, or delete an endpoint.`,
  );
}

/**
 * Drops models that a probe found and that are too many for the account, but none of the first
 * `kept`. Call `lockAccountEndpointCreation` before.
 */
export async function dropModelsOverAccountLimit(
  em: EntityManager,
  row: CustomEndpoint,
  kept: number,
): Promise<void> {
  const length = Math.max(kept, await readModelRoom(em, row));
  const dropped = new Set(row.models.slice(length));
  if (dropped.size === 0) return;
  row.models = row.models.slice(0, length);
  row.modelNames = withoutIds(row.modelNames, dropped);
  row.modelMeta = withoutIds(row.modelMeta, dropped);
  row.modelCreated = withoutIds(row.modelCreated, dropped);
}

/** Reads how many models an endpoint may have after those of other endpoints of its account. */
async function readModelRoom(
  em: EntityManager,
  { accountId, id }: CustomEndpoint,
): Promise<number> {
  const [others] = await em.execute<{ count: number }[]>(
    `select coalesce(sum(cardinality("models")), 0)::int as "count" from "upstreams"
     where "account_id" = ? and "deleted_at" is null and "id" <> ?`,
    [accountId, id],
  );
  return Math.max(0, maxAccountModels - (others?.count ?? 0));
}

function withoutIds<Value>(
  byId: Readonly<Record<string, Value>>,
  dropped: ReadonlySet<string>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(byId).filter(([id]) => !dropped.has(id)));
}
