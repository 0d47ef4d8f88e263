import {
  buildPublicRegistryFileUrl,
  buildExampleRegistryPageUrl,
} from "../../platform/registry-urls.ts";
import { ecosystems, type Ecosystem } from "../facts.ts";
import { trimTrailingCharacter } from "../../platform/trim-character.ts";

/** Where the registries are asked; some spread over several addresses. */
export interface RegistryAddresses {
  readonly npm: string;
  readonly pypi: string;
  readonly cargoApi: string;
  readonly cargoIndex: string;
  readonly rubygems: string;
  readonly goProxy: string;
  readonly goSite: string;
  readonly maven: string;
  readonly nuget: string;
  readonly packagistFiles: string;
  readonly packagistSite: string;
  /** Name of the public registry, by which advisories of its ecosystem are filed. */
  readonly cargoName: string;
}

/**
 * The addresses of the public registries, read from the tables of a package-URL library:
 * none is written in this repository. What the operator has configured takes their place.
 */
export function resolveRegistryAddresses(
  configured: Readonly<Record<string, string>>,
): RegistryAddresses {
  const given = (ecosystem: string): string | undefined => {
    const address = configured[ecosystem];
    return address === undefined ? undefined : trimTrailingCharacter(address, "/");
  };
  const [cargo, go] = [given("cargo"), given("go")];
  const publicCargo = buildPublicRegistryFileUrl("cargo");
  return {
    npm: given("npm") ?? buildPublicRegistryFileUrl("npm").origin,
    pypi: given("pypi") ?? buildPublicRegistryFileUrl("pypi").origin,
    cargoApi: cargo ?? publicCargo.origin,
    cargoIndex: cargo === undefined ? subdomain("index", publicCargo) : `${cargo}/index`,
    rubygems: given("rubygems") ?? buildPublicRegistryFileUrl("gem").origin,
    goProxy: go ?? buildPublicRegistryFileUrl("golang").origin,
    goSite: go ?? buildExampleRegistryPageUrl("golang").origin,
    maven: given("maven") ?? folderBefore("/group/", buildPublicRegistryFileUrl("maven")),
    // People write the address of the service index itself.
    nuget:
      given("nuget")?.replace(/\/v3(?:\/index\.json)?$/, "") ??
      subdomain("api", buildPublicRegistryFileUrl("nuget")),
    packagistFiles: given("packagist") ?? buildPublicRegistryFileUrl("composer").origin,
    packagistSite: given("packagist") ?? buildExampleRegistryPageUrl("composer").origin,
    cargoName: publicCargo.host,
  };
}

/** The parts of the public registries, by ecosystem. */
const publicParts: Readonly<Record<Ecosystem, readonly (keyof RegistryAddresses)[]>> = {
  npm: ["npm"],
  pypi: ["pypi"],
  cargo: ["cargoApi", "cargoIndex"],
  rubygems: ["rubygems"],
  go: ["goProxy", "goSite"],
  maven: ["maven"],
  nuget: ["nuget"],
  packagist: ["packagistFiles", "packagistSite"],
};

/**
 * What the operator has configured beside the public registries: one of theirs that
 * is written out is theirs all the same, with all its parts and its limits.
 */
export function selectPrivateRegistryUrls(
  configured: Readonly<Record<string, string>>,
): Readonly<Partial<Record<Ecosystem, string>>> {
  const addresses = resolveRegistryAddresses({});
  const isPublic = (ecosystem: Ecosystem, address: string): boolean =>
    publicParts[ecosystem].some(
      (part) => new URL(addresses[part]).hostname === new URL(address).hostname,
    );
  const own = ecosystems.flatMap((ecosystem) => {
    const address = configured[ecosystem];
    return address === undefined || isPublic(ecosystem, address) ? [] : [[ecosystem, address]];
  });
  return Object.fromEntries(own);
}

function subdomain(label: string, { protocol, host }: URL): string {
  return `${protocol}//${label}.${host}`;
}

function folderBefore(marker: string, { origin, pathname }: URL): string {
  return origin + pathname.slice(0, pathname.indexOf(marker));
}
