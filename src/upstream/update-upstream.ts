import { isDeepStrictEqual } from "node:util";
import type { EntityManager } from "@mikro-orm/postgresql";
import { changedDetails } from "../account/audit-details.ts";
import { recordAudit, type Actor } from "../account/audit.ts";
import {
  checkExtraHeaders,
  keepRedacted,
  type ExtraHeaders,
} from "../platform/endpoint/header-rules.ts";
import { upstreamDetails } from "./upstream-details.ts";
import type { UpstreamPorts } from "./upstream-probe.ts";
import type { UpstreamSecrets } from "./upstream-secrets.ts";
import type { Upstream, UpstreamDialect } from "./upstream.entity.ts";
import { findUpstream, lockUpstream, probeUpstream } from "./upstreams.ts";

/** The fields that a PATCH sets; lists and maps whole. Lengths are checked. */
export interface UpstreamChanges {
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
 * `not_found`, 400 for headers that the server sets itself.
 */
export async function updateUpstream(
  em: EntityManager,
  actor: Actor,
  slug: string,
  changes: UpstreamChanges,
  ports: UpstreamPorts,
): Promise<Upstream> {
  if (changes.headers !== undefined) checkExtraHeaders(changes.headers, "headers");
  const before = await findUpstream(em, actor, slug);
  const row = await em.transactional(async (tx) => {
    const locked = await lockUpstream(tx, actor, slug);
    apply(tx, actor, locked, changes, ports.secrets);
    return locked;
  });
  if (row.dialRevision === before.dialRevision) return row;
  return probeUpstream(em, actor, slug, ports);
}

function apply(
  em: EntityManager,
  actor: Actor,
  row: Upstream,
  changes: UpstreamChanges,
  secrets: UpstreamSecrets,
): void {
  const before = upstreamDetails(row);
  applyDescription(row, changes);
  applyDial(row, changes, secrets);
  const details = changedDetails(before, upstreamDetails(row));
  if (details === undefined) return;
  row.updatedAt = actor.at;
  const { accountId } = row;
  recordAudit(em, actor, { accountId, type: "upstream.updated", target: row.slug, ...details });
}

function applyDescription(row: Upstream, { label, models, modelNames }: UpstreamChanges): void {
  if (label !== undefined) row.label = label;
  if (models !== undefined) row.models = [...new Set(models)];
  if (modelNames !== undefined) row.modelNames = modelNames;
}

/** Everything that makes another dial; values that are the same again change nothing. */
function applyDial(row: Upstream, changes: UpstreamChanges, secrets: UpstreamSecrets): void {
  const changed = [
    applyDialect(row, changes.dialect),
    applyKey(row, changes.apiKey, secrets),
    applyHeaders(row, changes.headers, secrets),
  ];
  if (changed.includes(true)) row.dialRevision += 1;
}

function applyDialect(row: Upstream, dialect: UpstreamDialect | undefined): boolean {
  if (dialect === undefined) return false;
  const changed = row.dialect !== dialect;
  Object.assign(row, { dialect, dialectUndecided: false });
  return changed;
}

function applyKey(row: Upstream, key: string | undefined, secrets: UpstreamSecrets): boolean {
  if (key === undefined || secrets.openKey(row).reveal() === key) return false;
  row.apiKey = secrets.sealKey(row.id, key);
  return true;
}

function applyHeaders(
  row: Upstream,
  headers: ExtraHeaders | undefined,
  secrets: UpstreamSecrets,
): boolean {
  if (headers === undefined) return false;
  const stored = secrets.openHeaders(row);
  const wanted = keepRedacted(headers, stored, "headers");
  if (isDeepStrictEqual(wanted, stored)) return false;
  row.headers = secrets.sealHeaders(row.id, wanted);
  return true;
}
