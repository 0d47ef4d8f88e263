/** Package registries, by the words of the contract. */
export const packageEcosystems = [
  "npm",
  "pypi",
  "cargo",
  "rubygems",
  "go",
  "maven",
  "nuget",
  "packagist",
] as const;

export type PackageEcosystem = (typeof packageEcosystems)[number];
