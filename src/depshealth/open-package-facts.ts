import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { PackageDataSourceSettings } from "../platform/configuration/package-sources.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import type { NpmRegistrySetting } from "./ecosystem/npm-configuration.ts";
import { createPackageRegistries } from "./ecosystem/create-registries.ts";
import {
  selectPrivateRegistryUrls,
  resolveRegistryAddresses,
} from "./ecosystem/registry-addresses.ts";
import { ecosystems, type Ecosystem, type PackageFactsGatherer } from "./facts.ts";
import { WeakMemo } from "./fetch/weak-memo.ts";
import { DataSourceDocumentCache } from "./fetch/document-cache.ts";
import type { DataSourceDocumentStore } from "./fetch/document-store.ts";
import { BlockedDataSourceLog } from "./fetch/blocked-source-log.ts";
import { DataSourceClientFactory } from "./fetch/source-clients.ts";
import { MultiSourceFactsGatherer } from "./gather/fact-gatherer.ts";
import { RepositoryHostClients } from "./gather/repositories.ts";
import { DepsdevSource } from "./source/depsdev.ts";
import { EcosystemsSource } from "./source/ecosystems.ts";
import { OsvSource } from "./source/osv.ts";
import {
  createForgejoRepositoryHost,
  createGithubGraphqlRepositoryHost,
  createGithubRestRepositoryHost,
  createGitlabRepositoryHost,
  type RepositoryHostClient,
} from "./source/repository-hosts.ts";
import { resolveDataSourceAddress } from "./source/source-addresses.ts";

export interface PackageFactsComponentsDependencies {
  readonly dialer: Dialer;
  readonly store: DataSourceDocumentStore;
  readonly clock: Clock;
  /** Times the waits between requests to a source; monotonic in the server. */
  readonly throttleClock: Clock;
  readonly log: Logger;
  readonly packageSources: PackageDataSourceSettings;
  /** Of the npm configuration; not heeded when the operator's file names an npm registry. */
  readonly npmRegistries: readonly NpmRegistrySetting[];
  /** Names the product and whom to turn to, for the people who run the sources. */
  readonly userAgent: string;
  /** Of one request to a source; 10 seconds if omitted. */
  readonly timeoutMs?: number | undefined;
}

/** The facts of packages, and what their end has to wait for. */
export interface PackageFactsComponents {
  readonly facts: PackageFactsGatherer;
  /** Clients of the sources, for what else is asked of them (`endoflife`). */
  readonly clients: DataSourceClientFactory;
  /** Resolves when what was heard is stored; what is still asked has a second to be answered. */
  close(): Promise<void>;
}

/** Builds everything that gathers facts, from the dialer up. Nothing is asked yet. */
export function createPackageFactsComponents(
  dependencies: PackageFactsComponentsDependencies,
): PackageFactsComponents {
  const { store, clock, log, packageSources, npmRegistries } = dependencies;
  const cache = new DataSourceDocumentCache({ store, clock, log });
  const clients = new DataSourceClientFactory({
    ...dependencies,
    cache,
    errors: new BlockedDataSourceLog(log),
  });
  const derived = new WeakMemo();
  const own = selectPrivateRegistryUrls(packageSources.registries);
  const addresses = resolveRegistryAddresses(own);
  const sources = optionalSources(clients, packageSources, derived, addresses.cargoName, clock);
  const facts = new MultiSourceFactsGatherer({
    registries: createPackageRegistries({
      clients,
      addresses,
      derived,
      configured: packageSources.registries,
      configuredRegistries: own,
      npmRegistries,
    }),
    mirrored: mirroredEcosystems(own, npmRegistries, addresses.npm),
    repositories: new RepositoryHostClients(repositoryHosts(clients, packageSources)),
    derived,
    clock,
    ...sources,
  });
  const close = async (): Promise<void> => {
    await cache.close();
    await store.close();
  };
  return { facts, clients, close };
}

/** By the operator's file, or by the npm configuration for packages without a scope of their own. */
function mirroredEcosystems(
  own: Readonly<Partial<Record<Ecosystem, string>>>,
  npmRegistries: readonly NpmRegistrySetting[],
  npmBase: string,
): ReadonlySet<Ecosystem> {
  const isMirror = (base: string): boolean => new URL(base).host !== new URL(npmBase).host;
  const named = npmRegistries.some(({ scope, base }) => scope === undefined && isMirror(base));
  return new Set(ecosystems.filter((name) => own[name] !== undefined || (name === "npm" && named)));
}

function optionalSources(
  clients: DataSourceClientFactory,
  { sources }: PackageDataSourceSettings,
  derived: WeakMemo,
  cargoName: string,
  clock: Clock,
) {
  const osv = resolveDataSourceAddress("osv", sources);
  const ecosystems = resolveDataSourceAddress("ecosystems", sources);
  const depsdev = resolveDataSourceAddress("depsdev", sources);
  return {
    osv: osv && new OsvSource(clients.create("osv", "osv", osv), derived, cargoName, clock),
    ecosystems:
      ecosystems && new EcosystemsSource(clients.create("ecosystems", "ecosystems", ecosystems)),
    depsdev: depsdev && new DepsdevSource(clients.create("depsdev", "depsdev", depsdev)),
  };
}

/** By the host name that repository links have, and by that of a configured address. */
function repositoryHosts(
  clients: DataSourceClientFactory,
  { sources, githubToken }: PackageDataSourceSettings,
): ReadonlyMap<string, RepositoryHostClient> {
  const hosts = new Map<string, RepositoryHostClient>();
  const github = resolveDataSourceAddress("github", sources);
  if (github !== undefined) hosts.set("github.com", githubHost(clients, github, githubToken));
  const others = [
    ["gitlab", "gitlab.com", createGitlabRepositoryHost],
    ["forgejo", "codeberg.org", createForgejoRepositoryHost],
  ] as const;
  for (const [name, host, create] of others) {
    const address = resolveDataSourceAddress(name, sources);
    if (address === undefined) continue;
    const client = create(clients.create(name, name, address));
    hosts.set(host, client);
    hosts.set(new URL(address.base).hostname, client);
  }
  return hosts;
}

function githubHost(
  clients: DataSourceClientFactory,
  address: { readonly base: string; readonly isOwn: boolean },
  token: string | undefined,
): RepositoryHostClient {
  if (token === undefined || token === "") {
    return createGithubRestRepositoryHost(clients.create("github", "github-anonymous", address));
  }
  const headers = { authorization: `Bearer ${token}` };
  return createGithubGraphqlRepositoryHost(
    clients.create("github", "github", { ...address, headers }),
  );
}
