import type { Ecosystem } from "../../platform/ecosystem.ts";
import { packageUrlTypes } from "../../manifest/sbom/package-url.ts";

/** Package URL of a canonical name, without a version. */
export function packageUrl(ecosystem: Ecosystem, name: string): string {
  const path = ecosystem === "maven" ? name.replace(":", "/") : name;
  const segments = path.split("/").map((segment) => encodeURIComponent(segment));
  return `pkg:${packageUrlTypes[ecosystem]}/${segments.join("/")}`;
}
