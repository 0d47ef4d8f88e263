import { AliasService } from "../../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { AliasDirectory } from "../../alias/alias-directory.ts";
import { AliasChangeWatcher } from "../../alias/alias-watcher.ts";
import {
  createAliasRpc,
  loadAliasChanges,
  type AliasRpcDependencies,
} from "../../alias/alias.rpc.ts";
import { buildGlobalAliases } from "../../alias/global-aliases.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";
import type { UpstreamModule } from "./wire-endpoints.ts";

export interface AliasModule {
  readonly services: readonly MountedService[];
  readonly directory: AliasDirectory;
}

/** Builds aliases on what an account can call. */
export function createAliasModule(
  { configuration, storage, feed, clock }: SharedResources,
  endpoints: UpstreamModule,
): AliasModule {
  const fork = () => storage.database.fork();
  const standing = buildGlobalAliases(endpoints.catalog.all(), configuration.credits.catalog);
  const { exists, availability } = endpointDependencies(endpoints);
  const dependencies: AliasRpcDependencies = {
    globalAliases: standing,
    watch: new AliasChangeWatcher(feed, (accountId, afterRev) =>
      loadAliasChanges(fork(), availability, accountId, afterRev),
    ),
    clock,
    exists,
    availability,
  };
  return {
    services: [bindServiceImplementation(AliasService, createAliasRpc(dependencies))],
    directory: new AliasDirectory({ globalAliases: standing, fork, feed, clock }),
  };
}

const customPattern = /^custom\/(.+)$/;

function endpointDependencies({
  upstreams,
  vendors,
  catalog: catalogue,
}: UpstreamModule): Pick<AliasRpcDependencies, "exists" | "availability"> {
  return {
    exists: async (accountId, vendor) => {
      const [, slug] = customPattern.exec(vendor) ?? [];
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
