import { UpstreamService } from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { VendorService } from "../../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { AccountProbeRateLimiter } from "../../platform/endpoint/probe-budget.ts";
import { allowAnyReplay } from "../../platform/replay-checks.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import { TargetHealthMap, findTargetEndpointSlug } from "../../gateway/routing/pooled-targets.ts";
import { CooldownProber } from "../../upstream/cooldown-prober.ts";
import { CustomEndpointDirectory } from "../../upstream/upstream-directory.ts";
import { UpstreamSecretSealer } from "../../upstream/upstream-secrets.ts";
import { createUpstreamRpc } from "../../upstream/upstream.rpc.ts";
import { builtInVendors } from "../../model-vendor/built-in-vendors.ts";
import { SingleFlightLoginRefresher } from "../../model-vendor/login-refresher.ts";
import { VendorCatalog } from "../../model-vendor/vendor-catalog.ts";
import { LinkedVendorDirectory } from "../../model-vendor/vendor-directory.ts";
import { VendorModelCache } from "../../model-vendor/vendor-model-cache.ts";
import { createVendorRpc } from "../../model-vendor/vendor.rpc.ts";
import { VendorCredentialSealer } from "../../model-vendor/vendor-secrets.ts";
import type { AccountModule } from "./wire-accounts.ts";
import type { SharedResources } from "../foundation.ts";

export interface UpstreamModule {
  readonly services: readonly MountedService[];
  readonly upstreams: CustomEndpointDirectory;
  readonly vendors: LinkedVendorDirectory;
  readonly catalog: VendorCatalog;
  /** Models of linked vendors, configured or discovered. */
  readonly vendorModels: VendorModelCache;
  /** What this process knows of the targets of aliases. */
  readonly pooledTargets: TargetHealthMap;
  /** Waits for what is on its way. */
  close(): Promise<void>;
}

/** Builds what an account can call: custom endpoints and linked vendors. */
export function createUpstreamModule(
  { configuration, storage, feed, clock, dialer, log, requestLimiters }: SharedResources,
  { background }: Pick<AccountModule, "background">,
): UpstreamModule {
  const { box, database } = storage;
  const fork = () => database.fork();
  const budget = new AccountProbeRateLimiter(requestLimiters.probes);
  const upstreamSecrets = new UpstreamSecretSealer(box);
  const vendorSecrets = new VendorCredentialSealer(box);
  const catalogue = new VendorCatalog(builtInVendors, configuration.vendors);
  const renewals = new SingleFlightLoginRefresher({
    fork,
    clock,
    dialer,
    secrets: vendorSecrets,
    log,
  });
  const vendors = {
    catalog: catalogue,
    fork,
    feed,
    clock,
    dialer,
    secrets: vendorSecrets,
    renewals,
  };
  const upstreams = new CustomEndpointDirectory({
    fork,
    feed,
    clock,
    dialer,
    secrets: upstreamSecrets,
  });
  const pooledTargets = new TargetHealthMap({
    clock,
    onCooldown: (target, milliseconds) => {
      const slug = findTargetEndpointSlug(target);
      if (slug !== undefined) resting.probeDuringCooldown(target.accountId, slug, milliseconds);
    },
  });
  const resting = new CooldownProber({
    find: (accountId, slug) => upstreams.find(accountId, slug),
    dialer,
    budget,
    background,
    cooldowns: (accountId, slug) => pooledTargets.endpointsInCooldown(accountId).has(slug),
    onAnswered: (accountId, slug) => pooledTargets.endCooldownOf(accountId, slug),
  });
  const restsOf = (accountId: string) => pooledTargets.endpointsInCooldown(accountId);
  return {
    services: [
      bindServiceImplementation(
        UpstreamService,
        createUpstreamRpc({
          dialer,
          secrets: upstreamSecrets,
          budget,
          clock,
          cooldownsOf: restsOf,
        }),
        { createUpstream: allowAnyReplay },
      ),
      bindServiceImplementation(
        VendorService,
        createVendorRpc({ catalog: catalogue, dialer, secrets: vendorSecrets, budget, clock }),
      ),
    ],
    catalog: catalogue,
    vendorModels: new VendorModelCache({ dialer, clock }),
    upstreams,
    pooledTargets,
    vendors: new LinkedVendorDirectory(vendors),
    close: () => {
      resting.close();
      return renewals.settled();
    },
  };
}
