import type { Ecosystem } from "../facts.ts";

const types: Readonly<Record<Ecosystem, string>> = {
  npm: "npm",
  pypi: "pypi",
  cargo: "cargo",
  rubygems: "gem",
  go: "golang",
  maven: "maven",
  nuget: "nuget",
  packagist: "composer",
};

/** Package URL of a canonical name, without a version. */
export function packageUrl(ecosystem: Ecosystem, name: string): string {
  const path = ecosystem === "maven" ? name.replace(":", "/") : name;
  const segments = path.split("/").map((segment) => encodeURIComponent(segment));
  return `pkg:${types[ecosystem]}/${segments.join("/")}`;
}
