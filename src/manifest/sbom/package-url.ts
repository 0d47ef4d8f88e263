import { PackageURL } from "@socketregistry/packageurl-js";
import type { Ecosystem } from "../../platform/ecosystem.ts";
import { lookupTable } from "../../platform/lookup-table.ts";

/** Types of package URLs by ecosystem. */
export const packageUrlTypes: Readonly<Record<Ecosystem, string>> = {
  npm: "npm",
  pypi: "pypi",
  cargo: "cargo",
  rubygems: "gem",
  go: "golang",
  maven: "maven",
  nuget: "nuget",
  packagist: "composer",
};

const ecosystemOfType = lookupTable(
  Object.fromEntries(
    Object.entries(packageUrlTypes).map(([ecosystem, type]) => [type, ecosystem as Ecosystem]),
  ),
);

/** A package that a package URL names, or why it is none of the registries. */
export type UrlPackage =
  | { readonly ecosystem: Ecosystem; readonly name: string; readonly version?: string }
  | { readonly reason: string };

/** Reads a package URL, `pkg:npm/%40scope/name@1.0.0`. */
export function readPackageUrl(url: string): UrlPackage {
  const [, type = ""] = /^pkg:\/{0,2}([\w.+-]+)\//i.exec(url) ?? [];
  if (type === "") return { reason: "invalid_package_url" };
  const ecosystem = ecosystemOfType.get(type.toLowerCase());
  if (ecosystem === undefined) return { reason: `unsupported_registry: ${type}` };
  try {
    const { namespace, name = "", version } = PackageURL.fromString(url);
    const separator = ecosystem === "maven" ? ":" : "/";
    const whole = namespace ? `${namespace}${separator}${name}` : name;
    return { ecosystem, name: whole, ...(version && { version }) };
  } catch {
    return { reason: "invalid_package_url" };
  }
}
