import { PackageURL } from "@socketregistry/packageurl-js";
import type { PackageEcosystem } from "../../platform/ecosystem.ts";
import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import {
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { packageUrlTypeByEcosystem } from "./package-url-types.ts";

const ecosystemOfType = recordToMap(
  Object.fromEntries(
    Object.entries(packageUrlTypeByEcosystem).map(([ecosystem, type]) => [
      type,
      ecosystem as PackageEcosystem,
    ]),
  ),
);

/** A package that a package URL names, or why it is none of the registries. */
export type ParsedPackageUrl =
  | (PackageDownloadOrigin & {
      readonly ecosystem: PackageEcosystem;
      readonly name: string;
      readonly version?: string;
    })
  | { readonly reason: string };

/** Reads a package URL, `pkg:npm/%40scope/name@1.0.0`, also the registry that its qualifiers name. */
export function parsePackageUrl(url: string): ParsedPackageUrl {
  const [, type = ""] = /^pkg:\/{0,2}([\w.+-]+)\//i.exec(url) ?? [];
  if (type === "") return { reason: "invalid_package_url" };
  const ecosystem = ecosystemOfType.get(type.toLowerCase());
  if (ecosystem === undefined) return { reason: `unsupported_registry: ${type}` };
  try {
    const { namespace, name = "", version, qualifiers } = PackageURL.fromString(url);
    const [, writtenNamespace, writtenName] = PackageURL.parseString(url);
    const separator = ecosystem === "maven" ? ":" : "/";
    const ownName = withCaseOf(writtenName, name);
    const whole = namespace
      ? `${withCaseOf(writtenNamespace, namespace)}${separator}${ownName}`
      : ownName;
    const origin = qualifiedOrigin(ecosystem, asJsonObjectOrEmpty(qualifiers));
    return { ecosystem, name: whole, ...(version && { version }), ...origin };
  } catch {
    return { reason: "invalid_package_url" };
  }
}

/**
 * A normalized name in its written case. The library lowers npm's names among others, but a
 * registry may have another package under the lower-case name.
 */
function withCaseOf(written: string | undefined, normalized: string): string {
  return written?.toLowerCase() === normalized.toLowerCase() ? written : normalized;
}

/** The scheme of an address may be left out. */
function qualifiedOrigin(
  ecosystem: PackageEcosystem,
  qualifiers: JsonObject,
): PackageDownloadOrigin {
  const addresses = ["repository_url", "download_url"].flatMap(
    (name) => asNonBlankString(qualifiers[name]) ?? [],
  );
  return mergePackageDownloadSources(
    addresses.map((address) =>
      toRegistryDownloadSource(
        ecosystem,
        /^(?:[a-z][a-z\d+.-]*:|[./~])/i.test(address) ? address : `https://${address}`,
      ),
    ),
  );
}
