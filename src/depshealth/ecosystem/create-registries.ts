import type { Ecosystem } from "../facts.ts";
import type { WeakMemo } from "../fetch/weak-memo.ts";
import type { DataSourceClient } from "../fetch/source-client.ts";
import type { DataSourceClientFactory } from "../fetch/source-clients.ts";
import type { PackageDataSourceName } from "../fetch/source-limits.ts";
import { CargoRegistry } from "./cargo.ts";
import { GoRegistry } from "./go.ts";
import { MavenRegistry } from "./maven.ts";
import type { NpmRegistrySetting } from "./npm-configuration.ts";
import { NpmRegistry } from "./npm.ts";
import { NugetRegistry } from "./nuget.ts";
import { PackagistRegistry } from "./packagist.ts";
import { PypiRegistry } from "./pypi.ts";
import type { RegistryAddresses } from "./registry-addresses.ts";
import type { PackageRegistry } from "./registry.ts";
import { RubygemsRegistry } from "./rubygems.ts";

export interface PackageRegistriesDependencies {
  readonly clients: DataSourceClientFactory;
  readonly addresses: RegistryAddresses;
  readonly derived: WeakMemo;
  /** Base addresses that the operator has set, by ecosystem. */
  readonly configured: Readonly<Record<string, string>>;
  /** Those of them that are no public registry. */
  readonly configuredRegistries: Readonly<Partial<Record<Ecosystem, string>>>;
  readonly npmRegistries: readonly NpmRegistrySetting[];
}

/** Every registry, each with its clients. */
export function createPackageRegistries(
  dependencies: PackageRegistriesDependencies,
): Readonly<Record<Ecosystem, PackageRegistry>> {
  const { addresses, derived } = dependencies;
  const client = (
    ecosystem: Ecosystem,
    name: PackageDataSourceName,
    base: string,
  ): DataSourceClient => {
    const isOwn = dependencies.configuredRegistries[ecosystem] !== undefined;
    return dependencies.clients.create(ecosystem, name, { base, isOwn });
  };
  return {
    npm: new NpmRegistry({ clientOf: npmClients(dependencies), derived }),
    pypi: new PypiRegistry(client("pypi", "pypi", addresses.pypi), derived),
    cargo: new CargoRegistry({
      api: client("cargo", "cargo-api", addresses.cargoApi),
      index: client("cargo", "cargo-index", addresses.cargoIndex),
      derived,
    }),
    rubygems: new RubygemsRegistry(client("rubygems", "rubygems", addresses.rubygems), derived),
    go: new GoRegistry({
      site: client("go", "go-site", addresses.goSite),
      proxy: client("go", "go-proxy", addresses.goProxy),
      derived,
    }),
    maven: new MavenRegistry(client("maven", "maven", addresses.maven), derived),
    nuget: new NugetRegistry(client("nuget", "nuget", addresses.nuget), derived),
    packagist: new PackagistRegistry({
      files: client("packagist", "packagist-files", addresses.packagistFiles),
      site: client("packagist", "packagist-site", addresses.packagistSite),
      derived,
    }),
  };
}

/** The operator's file beats the npm configuration, which may name a registry for a scope. */
function npmClients({
  clients,
  addresses,
  configured,
  configuredRegistries: own,
  npmRegistries,
}: PackageRegistriesDependencies): (scope: string | undefined) => DataSourceClient {
  const isOwn = own.npm !== undefined;
  const usual = clients.create("npm", "npm", { base: addresses.npm, isOwn });
  if (configured["npm"] !== undefined) return () => usual;
  const byScope = new Map(
    npmRegistries.map((setting) => [setting.scope, npmClient(clients, addresses.npm, setting)]),
  );
  return (scope) => byScope.get(scope) ?? byScope.get(undefined) ?? usual;
}

function npmClient(
  clients: DataSourceClientFactory,
  publicBase: string,
  { base, token }: NpmRegistrySetting,
): DataSourceClient {
  const isOwn = new URL(base).host !== new URL(publicBase).host;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return clients.create("npm", "npm", { base, isOwn, headers });
}
