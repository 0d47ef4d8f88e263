import { UpstreamService } from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { VendorService } from "../../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { ProbeBudget } from "../../platform/endpoint/probe-budget.ts";
import { admittedCallers } from "../../platform/repeat-checks.ts";
import { mountedService, type MountedService } from "../../transport/mounted-service.ts";
import { PooledTargets, slugOf } from "../../gateway/routing/pooled-targets.ts";
import { RestingEndpoints } from "../../upstream/resting-endpoints.ts";
import { UpstreamDirectory } from "../../upstream/upstream-directory.ts";
import { UpstreamSecrets } from "../../upstream/upstream-secrets.ts";
import { createUpstreamRpc } from "../../upstream/upstream.rpc.ts";
import { builtInVendors } from "../../vendor/built-in-vendors.ts";
import { LoginRenewals } from "../../vendor/login-renewals.ts";
import { VendorCatalogue } from "../../vendor/vendor-catalogue.ts";
import { VendorDirectory } from "../../vendor/vendor-directory.ts";
import { VendorModels } from "../../vendor/vendor-models.ts";
import { createVendorRpc } from "../../vendor/vendor.rpc.ts";
import { VendorSecrets } from "../../vendor/vendor-secrets.ts";
import type { AccountWiring } from "./wire-accounts.ts";
import type { Foundation } from "../foundation.ts";

export interface EndpointWiring {
  readonly services: readonly MountedService[];
  readonly upstreams: UpstreamDirectory;
  readonly vendors: VendorDirectory;
  readonly catalogue: VendorCatalogue;
  /** Models of linked vendors, configured or discovered. */
  readonly vendorModels: VendorModels;
  /** What this process knows of the targets of aliases. */
  readonly pooledTargets: PooledTargets;
  /** Waits for what is on its way. */
  close(): Promise<void>;
}

/** Builds what an account can call: custom endpoints and linked vendors. */
export function wireEndpoints(
  { configuration, storage, feed, clock, dialer, log, requestLimiters }: Foundation,
  { background }: Pick<AccountWiring, "background">,
): EndpointWiring {
  const { box, database } = storage;
  const fork = () => database.fork();
  const budget = new ProbeBudget(requestLimiters.probes);
  const upstreamSecrets = new UpstreamSecrets(box);
  const vendorSecrets = new VendorSecrets(box);
  const catalogue = new VendorCatalogue(builtInVendors, configuration.vendors);
  const renewals = new LoginRenewals({ fork, clock, dialer, secrets: vendorSecrets, log });
  const vendors = { catalogue, fork, feed, clock, dialer, secrets: vendorSecrets, renewals };
  const upstreams = new UpstreamDirectory({
    fork,
    feed,
    clock,
    dialer,
    secrets: upstreamSecrets,
  });
  const pooledTargets = new PooledTargets({
    clock,
    cameToRest: (target, milliseconds) => {
      const slug = slugOf(target);
      if (slug !== undefined) resting.askInRest(target.accountId, slug, milliseconds);
    },
  });
  const resting = new RestingEndpoints({
    find: (accountId, slug) => upstreams.find(accountId, slug),
    dialer,
    budget,
    background,
    rests: (accountId, slug) => pooledTargets.restingEndpoints(accountId).has(slug),
    answered: (accountId, slug) => pooledTargets.endpointAnswered(accountId, slug),
  });
  const restsOf = (accountId: string) => pooledTargets.restingEndpoints(accountId);
  return {
    services: [
      mountedService(
        UpstreamService,
        createUpstreamRpc({ dialer, secrets: upstreamSecrets, budget, clock, restsOf }),
        { createUpstream: admittedCallers },
      ),
      mountedService(
        VendorService,
        createVendorRpc({ catalogue, dialer, secrets: vendorSecrets, budget, clock }),
      ),
    ],
    catalogue,
    vendorModels: new VendorModels({ dialer, clock }),
    upstreams,
    pooledTargets,
    vendors: new VendorDirectory(vendors),
    close: () => {
      resting.close();
      return renewals.settled();
    },
  };
}
