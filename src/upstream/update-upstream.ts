import { isDeepStrictEqual } from "node:util";
import type { EntityManager } from "@mikro-orm/postgresql";
import { diffAuditEventDetails } from "../domain/audit/audit-details.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import {
  assertExtraHeaders,
  restoreRedactedHeaders,
  type ExtraHeaders,
} from "../platform/endpoint/header-rules.ts";
import { buildUpstreamAuditDetails } from "./upstream-details.ts";
import { assertRoomForModels, lockAccountEndpointCreation } from "./endpoint-limits.ts";
import type { CustomEndpointDependencies } from "./upstream-probe.ts";
import type { UpstreamSecretSealer } from "./upstream-secrets.ts";
import type { CustomEndpoint } from "./upstream.entity.ts";
import type { UpstreamDialect } from "../domain/callable-endpoint.ts";
import { lockUpstream, probeAndUpdateCustomEndpoint } from "./upstreams.ts";

/** The fields that a PATCH sets; lists and maps whole. Lengths are checked. */
export interface UpstreamPatch {
  readonly label?: string;
  readonly dialect?: UpstreamDialect;
  readonly apiKey?: string;
  /** The value `[redacted]` keeps the stored one. */
  readonly headers?: ExtraHeaders;
  readonly models?: readonly string[];
  readonly modelNames?: Readonly<Record<string, string>>;
}

/**
 * Changes an endpoint, and probes it again when its dialect, key or headers
 * are others than before. Nothing to change is no change. Throws 404
 * `not_found`, 400 for headers that the server sets itself and for models too many, 429 when a probe
 * would be needed and there were too many; nothing is changed then.
 */
export async function updateUpstream(
  em: EntityManager,
  actor: AuditActor,
  slug: string,
  changes: UpstreamPatch,
  dependencies: CustomEndpointDependencies,
): Promise<CustomEndpoint> {
  if (changes.headers !== undefined) assertExtraHeaders(changes.headers, "headers");
  const { row, redial } = await em.transactional((tx) =>
    change(tx, actor, slug, changes, dependencies),
  );
  return redial ? probeAndUpdateCustomEndpoint(em, actor, row, dependencies) : row;
}

/** Changes the row and says whether it is dialled otherwise than before. */
async function change(
  em: EntityManager,
  actor: AuditActor,
  slug: string,
  changes: UpstreamPatch,
  { secrets, budget }: CustomEndpointDependencies,
): Promise<{ row: CustomEndpoint; redial: boolean }> {
  const row = await lockUpstream(em, actor, slug);
  const before = buildUpstreamAuditDetails(row);
  const modelsBefore = row.models.length;
  applyDescription(row, changes);
  if (row.models.length > modelsBefore) {
    await lockAccountEndpointCreation(em, row.accountId);
    await assertRoomForModels(em, row, row.models.length);
  }
  const redial = applyDial(row, changes, secrets);
  if (redial) await budget.take(row.accountId);
  const details = diffAuditEventDetails(before, buildUpstreamAuditDetails(row));
  if (details !== undefined) {
    const { accountId } = row;
    row.updatedAt = actor.at;
    recordAudit(em, actor, { accountId, type: "upstream.updated", target: slug, ...details });
  }
  return { row, redial };
}

function applyDescription(row: CustomEndpoint, { label, models, modelNames }: UpstreamPatch): void {
  if (label !== undefined) row.label = label;
  if (models !== undefined) row.models = [...new Set(models)];
  if (modelNames !== undefined) row.modelNames = modelNames;
}

/** Everything that makes another dial; values that are the same again change nothing. */
function applyDial(
  row: CustomEndpoint,
  changes: UpstreamPatch,
  secrets: UpstreamSecretSealer,
): boolean {
  const changed = [
    applyDialect(row, changes.dialect),
    applyKey(row, changes.apiKey, secrets),
    applyHeaders(row, changes.headers, secrets),
  ];
  const redial = changed.includes(true);
  if (redial) row.dialRevision += 1;
  return redial;
}

function applyDialect(row: CustomEndpoint, dialect: UpstreamDialect | undefined): boolean {
  if (dialect === undefined) return false;
  const changed = row.dialect !== dialect;
  Object.assign(row, { dialect, dialectUndecided: false });
  return changed;
}

function applyKey(
  row: CustomEndpoint,
  key: string | undefined,
  secrets: UpstreamSecretSealer,
): boolean {
  if (key === undefined || secrets.openKey(row).reveal() === key) return false;
  row.apiKey = secrets.sealKey(row.id, key);
  return true;
}

function applyHeaders(
  row: CustomEndpoint,
  headers: ExtraHeaders | undefined,
  secrets: UpstreamSecretSealer,
): boolean {
  if (headers === undefined) return false;
  const stored = secrets.openHeaders(row);
  const wanted = restoreRedactedHeaders(headers, stored, "headers");
  if (isDeepStrictEqual(wanted, stored)) return false;
  row.headers = secrets.sealHeaders(row.id, wanted);
  return true;
}
