import type { Clock } from "../platform/clock.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { normalizeEndpointBaseUrl } from "../platform/endpoint/base-address.ts";
import { lowerCaseHeaders } from "../platform/endpoint/header-rules.ts";
import type { AccountProbeRateLimiter } from "../platform/endpoint/probe-budget.ts";
import {
  probeEndpointModels,
  type EndpointProbeResult,
} from "../platform/endpoint/probe-endpoint.ts";
import type { Vendor, VendorCatalog } from "./vendor-catalog.ts";
import { buildVendorCredentialId } from "./vendor-credential.entity.ts";
import {
  vendorLoginHeaders,
  vendorCredentialToken,
  type LinkedVendorCredential,
  type VendorCredentialSealer,
} from "./vendor-secrets.ts";

/** What operations on vendors work with. */
export interface VendorProbeDependencies {
  readonly catalog: VendorCatalog;
  readonly dialer: Dialer;
  readonly secrets: VendorCredentialSealer;
  readonly budget: AccountProbeRateLimiter;
  readonly clock: Clock;
}

/** Pool of an account's connections to a vendor, by the id of its credential. */
export function vendorConnectionPoolKey(id: string): string {
  return `vendor:${id}`;
}

/**
 * Asks a vendor for its models with an account's credential, in the vendor's
 * first dialect. Takes up to ten seconds. Throws 429 when the account has
 * probed too often.
 */
export async function probeVendor(
  accountId: string,
  vendor: Vendor,
  credential: LinkedVendorCredential,
  { dialer, budget }: VendorProbeDependencies,
): Promise<EndpointProbeResult> {
  await budget.take(accountId);
  const target = {
    baseUrl: normalizeEndpointBaseUrl(vendor.baseUrl),
    poolKey: vendorConnectionPoolKey(buildVendorCredentialId(accountId, vendor.id)),
    credential: vendorCredentialToken(credential),
    headers: lowerCaseHeaders(vendorLoginHeaders(credential)),
    model: vendor.models?.[0],
  };
  const authStyle = vendor.auth === "x-api-key" ? "x-api-key" : "bearer";
  const [dialect = "dialect_chat"] = vendor.dialects;
  return probeEndpointModels(dialer, target, [{ dialect, authStyle }]);
}
