import { AliasService } from "../../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { AliasDirectory } from "../../alias/alias-directory.ts";
import { AliasWatch } from "../../alias/alias-watch.ts";
import { createAliasRpc, type AliasRpcDependencies } from "../../alias/alias.rpc.ts";
import { standingAliases } from "../../alias/standing-aliases.ts";
import { mountedService, type MountedService } from "../../transport/mounted-service.ts";
import type { Foundation } from "../foundation.ts";
import type { EndpointWiring } from "./wire-endpoints.ts";

export interface AliasWiring {
  readonly services: readonly MountedService[];
  readonly directory: AliasDirectory;
}

/** Builds aliases on what an account can call. */
export function wireAliases(
  { configuration, storage, feed, clock }: Foundation,
  endpoints: EndpointWiring,
): AliasWiring {
  const fork = () => storage.database.fork();
  const standing = standingAliases(endpoints.catalogue.all(), configuration.credits.catalogue);
  const dependencies: AliasRpcDependencies = {
    standing,
    watch: new AliasWatch(feed),
    fork,
    clock,
    ...endpointDependencies(endpoints),
  };
  return {
    services: [mountedService(AliasService, createAliasRpc(dependencies))],
    directory: new AliasDirectory({ standing, fork, feed, clock }),
  };
}

const customForm = /^custom\/(.+)$/;

function endpointDependencies({
  upstreams,
  vendors,
  catalogue,
}: EndpointWiring): Pick<AliasRpcDependencies, "exists" | "availability"> {
  return {
    exists: async (accountId, vendor) => {
      const [, slug] = customForm.exec(vendor) ?? [];
      if (slug === undefined) return catalogue.has(vendor);
      return (await upstreams.find(accountId, slug)) !== undefined;
    },
    availability: async (accountId) => {
      const linked = (await vendors.linked(accountId)).map(({ id }) => id);
      const own = (await upstreams.list(accountId)).map(({ slug }) => `custom/${slug}`);
      const available = new Set([...linked, ...own]);
      return (vendor) => available.has(vendor);
    },
  };
}
