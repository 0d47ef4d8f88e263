import { randomUUID } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { EndpointProbeReport } from "../platform/endpoint/probe-report.ts";

/** A linked credential that one process alone may renew now. */
export interface VendorCredentialRefreshClaim {
  readonly id: string;
  readonly accountId: string;
  /** Proves whose turn it is. */
  readonly claim: string;
  /** Sealed. */
  readonly credential: string;
  readonly probe: EndpointProbeReport | null;
}

/** Longer than a token request and what follows it take; then the process counts as dead. */
const claimSeconds = 30;

/**
 * Claims the right to renew a credential, in one statement; undefined: another
 * process has it, or the credential is not linked any more. Linking a credential
 * anew takes the claim away. The database's clock decides.
 */
export async function claimVendorCredentialRefresh(
  em: EntityManager,
  id: string,
): Promise<VendorCredentialRefreshClaim | undefined> {
  const claim = randomUUID();
  const [row] = await em.execute<Omit<VendorCredentialRefreshClaim, "id" | "claim">[]>(
    `update "vendor_credentials"
       set "refresh_claim" = ?, "refresh_claimed_until" = clock_timestamp() + make_interval(secs => ?)
     where "id" = ?
       and ("refresh_claimed_until" is null or "refresh_claimed_until" < clock_timestamp())
     returning "account_id" as "accountId", "credential", "probe"`,
    [claim, claimSeconds, id],
  );
  return row === undefined ? undefined : { ...row, id, claim };
}

/** Gives the right back, the credential as it was. */
export async function releaseVendorCredentialRefresh(
  em: EntityManager,
  { id, claim }: Pick<VendorCredentialRefreshClaim, "id" | "claim">,
): Promise<void> {
  await em.execute(
    `update "vendor_credentials" set "refresh_claim" = null, "refresh_claimed_until" = null
     where "id" = ? and "refresh_claim" = ?`,
    [id, claim],
  );
}

/**
 * Puts another credential in place of the claimed one and gives the right back;
 * false: it was unlinked or linked anew meanwhile, and stays as it is.
 */
export async function storeRefreshedVendorCredential(
  em: EntityManager,
  { id, claim }: Pick<VendorCredentialRefreshClaim, "id" | "claim">,
  credential: string,
  probe: EndpointProbeReport | null,
): Promise<boolean> {
  const replaced = await em.execute<object[]>(
    `update "vendor_credentials"
       set "credential" = ?, "probe" = ?::jsonb, "refresh_claim" = null, "refresh_claimed_until" = null
     where "id" = ? and "refresh_claim" = ? returning 1 as "replaced"`,
    [credential, probe === null ? null : JSON.stringify(probe), id, claim],
  );
  return replaced.length === 1;
}
