import type { EntityManager } from "@mikro-orm/postgresql";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { assertExtraHeaders } from "../platform/endpoint/header-rules.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { createEndpointProbeReport } from "../platform/endpoint/probe-report.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { paginateArray, type Page, type PageRequest } from "../platform/pagination.ts";
import type { Vendor, VendorCatalog } from "./vendor-catalog.ts";
import {
  buildVendorCredentialId,
  VendorCredentialEntity,
  type VendorCredential,
} from "./vendor-credential.entity.ts";
import { probeVendor, type VendorProbeDependencies } from "./vendor-probe.ts";
import { vendorLoginHeaders, type LinkedVendorCredential } from "./vendor-secrets.ts";

/** A vendor as one account sees it. */
export interface VendorWithCredential {
  readonly vendor: Vendor;
  /** Undefined: not linked. */
  readonly link: VendorCredential | undefined;
}

/** A page of the catalogue, by id, with the account's links. */
export async function listVendors(
  em: EntityManager,
  actor: AuditActor,
  request: PageRequest,
  catalogue: VendorCatalog,
): Promise<Page<VendorWithCredential>> {
  const accountId = requireAccountId(actor.principal);
  const { rows, hasMore } = paginateArray(request, catalogue.all(), ({ id }) => id);
  const links = await em.find(VendorCredentialEntity, { accountId });
  const linkOf = new Map(links.map((link) => [link.vendor, link]));
  return { rows: rows.map((vendor) => ({ vendor, link: linkOf.get(vendor.id) })), hasMore };
}

/**
 * Links the account's credential, in place of an older one, after probing it; a
 * failed probe links it as well. Throws 404 `not_found` for an unknown vendor,
 * 400 for a credential that the vendor does not take.
 */
export async function linkVendor(
  em: EntityManager,
  actor: AuditActor,
  vendorId: string,
  credential: LinkedVendorCredential,
  dependencies: VendorProbeDependencies,
): Promise<VendorWithCredential> {
  const accountId = requireAccountId(actor.principal);
  assertExtraHeaders(vendorLoginHeaders(credential), "login.headers");
  const vendor = dependencies.catalog.get(vendorId);
  checkKind(vendor, credential);
  const result = await probeVendor(accountId, vendor, credential, dependencies);
  const probe = createEndpointProbeReport(result, dependencies.clock.now());
  const id = buildVendorCredentialId(accountId, vendorId);
  const sealed = dependencies.secrets.seal(id, credential);
  const times = { linkedAt: actor.at, updatedAt: actor.at };
  // Whoever renews the older login now must not save over this one.
  const unclaimed = { refreshClaim: null, refreshClaimedUntil: null };
  const row = {
    id,
    accountId,
    vendor: vendorId,
    credential: sealed,
    probe,
    ...times,
    ...unclaimed,
  };
  const link = await em.transactional((tx) => save(tx, actor, row, credential.kind));
  return { vendor, link };
}

/** Removes the account's credential, if there is one. Throws 404 for an unknown vendor. */
export async function unlinkVendor(
  em: EntityManager,
  actor: AuditActor,
  vendorId: string,
  catalogue: VendorCatalog,
): Promise<VendorWithCredential> {
  const accountId = requireAccountId(actor.principal);
  const vendor = catalogue.get(vendorId);
  await em.transactional(async (tx) => {
    const id = buildVendorCredentialId(accountId, vendorId);
    const removed = await tx.nativeDelete(VendorCredentialEntity, { id });
    const event = { accountId, type: "vendor.unlinked", target: vendorId };
    if (removed > 0) recordAudit(tx, actor, event);
  });
  return { vendor, link: undefined };
}

/** Removes everything of an account that is itself being removed. */
export async function eraseVendorCredentials(em: EntityManager, accountId: string): Promise<void> {
  await em.nativeDelete(VendorCredentialEntity, { accountId });
}

function checkKind(vendor: Vendor, { kind }: LinkedVendorCredential): void {
  const taken = vendor.auth === "login" ? "login" : "api_key";
  if (kind === taken) return;
  throw invalidRequestError(
    kind,
    `The vendor \`${vendor.id}\` takes \`${taken}\`, not \`${kind}\`.`,
  );
}

async function save(
  em: EntityManager,
  actor: AuditActor,
  row: VendorCredential,
  kind: LinkedVendorCredential["kind"],
): Promise<VendorCredential> {
  const { accountId, vendor } = row;
  const link = await em.upsert(VendorCredentialEntity, row, {
    onConflictFields: ["id"],
    onConflictExcludeFields: ["linkedAt"],
  });
  const after = { credential: kind };
  recordAudit(em, actor, { accountId, type: "vendor.linked", target: vendor, after });
  return link;
}
