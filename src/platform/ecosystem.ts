/** Package registries, by the words of the contract. */
export const ecosystems = [
  "npm",
  "pypi",
  "cargo",
  "rubygems",
  "go",
  "maven",
  "nuget",
  "packagist",
] as const;

export type Ecosystem = (typeof ecosystems)[number];
