import type { Ecosystem } from "../../platform/ecosystem.ts";

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
