import type { PackageEcosystem } from "../../platform/ecosystem.ts";
import { encodeUrlComponent } from "../fetch/url-component.ts";
import { packageUrlTypeByEcosystem } from "../../manifest/sbom/package-url-types.ts";

/** Package URL of a canonical name, without a version. */
export function buildVersionlessPackageUrl(ecosystem: PackageEcosystem, name: string): string {
  const path = ecosystem === "maven" ? name.replace(":", "/") : name;
  const segments = path.split("/").map(encodeUrlComponent);
  return `pkg:${packageUrlTypeByEcosystem[ecosystem]}/${segments.join("/")}`;
}
