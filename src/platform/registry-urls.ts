import { PackageURL, UrlConverter } from "@socketregistry/packageurl-js";
import { recordToMap } from "./lookup-table.ts";

const namespaces = recordToMap<string>({
  golang: "example.org",
  maven: "group",
  composer: "vendor",
});

/**
 * Returns the address of a package's file in the public registry of a package-URL type, from the
 * tables of a library: no address of a registry is written in this repository.
 */
export function buildPublicRegistryFileUrl(type: string): URL {
  return addressOf(type, UrlConverter.toDownloadUrl(examplePackage(type))?.url);
}

/** Returns the address of a package's page in the public registry of a package-URL type. */
export function buildExampleRegistryPageUrl(type: string): URL {
  return addressOf(type, UrlConverter.toRepositoryUrl(examplePackage(type))?.url);
}

function examplePackage(type: string): PackageURL {
  return new PackageURL(type, namespaces.get(type), "name", "1.0.0", undefined, undefined);
}

function addressOf(type: string, address: string | undefined): URL {
  if (address === undefined) throw new Error(`No address is known of packages of type ${type}.`);
  return new URL(address);
}
