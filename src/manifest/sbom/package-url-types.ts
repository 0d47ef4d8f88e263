import type { PackageEcosystem } from "../../platform/ecosystem.ts";

/** Types of package URLs by ecosystem. */
export const packageUrlTypeByEcosystem: Readonly<Record<PackageEcosystem, string>> = {
  npm: "npm",
  pypi: "pypi",
  cargo: "cargo",
  rubygems: "gem",
  go: "golang",
  maven: "maven",
  nuget: "nuget",
  packagist: "composer",
};
