import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import type { EndpointProbeReport } from "../platform/endpoint/probe-report.ts";

/** The credential that an account has linked to a vendor of the catalogue. */
export const VendorCredentialEntity = defineEntity({
  name: "VendorCredential",
  tableName: "vendor_credentials",
  properties: {
    /** Account and vendor, see `credentialId`. */
    id: p.text().primary(),
    accountId: p.text(),
    vendor: p.text(),
    /** Sealed JSON of an `LinkedVendorCredential`. */
    credential: p.text(),
    probe: p.json<EndpointProbeReport>().strictNullable(),
    /** Since when the vendor is linked; replacing the credential leaves it. */
    linkedAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Whoever renews the login now, so that nobody else spends its refresh token; null: nobody. */
    refreshClaim: p.text().strictNullable(),
    /** Until when that counts, by the database's clock. */
    refreshClaimedUntil: p.datetime(3).strictNullable(),
  },
  uniques: [
    {
      name: "vendor_credentials_account_id_vendor_unique",
      properties: ["accountId", "vendor"],
    },
  ],
});

export type VendorCredential = InferEntity<typeof VendorCredentialEntity>;

/** One credential per account and vendor: the id says which. */
export function buildVendorCredentialId(accountId: string, vendor: string): string {
  return `${accountId}/${vendor}`;
}
