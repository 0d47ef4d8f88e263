import { PackageURL } from "@socketregistry/packageurl-js";
import type { Ecosystem } from "../../platform/ecosystem.ts";
import { asRecord, asText, type JsonObject } from "../../platform/json-value.ts";
import { lookupTable } from "../../platform/lookup-table.ts";
import { joinOrigins, registryOrigin, type Origin } from "../origin.ts";
import { packageUrlTypes } from "./package-url-types.ts";

const ecosystemOfType = lookupTable(
  Object.fromEntries(
    Object.entries(packageUrlTypes).map(([ecosystem, type]) => [type, ecosystem as Ecosystem]),
  ),
);

/** A package that a package URL names, or why it is none of the registries. */
export type UrlPackage =
  | (Origin & { readonly ecosystem: Ecosystem; readonly name: string; readonly version?: string })
  | { readonly reason: string };

/** Reads a package URL, `pkg:npm/%40scope/name@1.0.0`, also the registry that its qualifiers name. */
export function readPackageUrl(url: string): UrlPackage {
  const [, type = ""] = /^pkg:\/{0,2}([\w.+-]+)\//i.exec(url) ?? [];
  if (type === "") return { reason: "invalid_package_url" };
  const ecosystem = ecosystemOfType.get(type.toLowerCase());
  if (ecosystem === undefined) return { reason: `unsupported_registry: ${type}` };
  try {
    const { namespace, name = "", version, qualifiers } = PackageURL.fromString(url);
    const separator = ecosystem === "maven" ? ":" : "/";
    const whole = namespace ? `${namespace}${separator}${name}` : name;
    const origin = qualifiedOrigin(ecosystem, asRecord(qualifiers));
    return { ecosystem, name: whole, ...(version && { version }), ...origin };
  } catch {
    return { reason: "invalid_package_url" };
  }
}

/** The scheme of an address may be left out. */
function qualifiedOrigin(ecosystem: Ecosystem, qualifiers: JsonObject): Origin {
  const addresses = ["repository_url", "download_url"].flatMap(
    (name) => asText(qualifiers[name]) ?? [],
  );
  return joinOrigins(
    addresses.map((address) =>
      registryOrigin(
        ecosystem,
        /^(?:[a-z][a-z\d+.-]*:|[./~])/i.test(address) ? address : `https://${address}`,
      ),
    ),
  );
}
