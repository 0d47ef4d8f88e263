import type { Ecosystem } from "../../platform/ecosystem.ts";
import { urlComponent } from "../fetch/url-component.ts";
import { packageUrlTypes } from "../../manifest/sbom/package-url-types.ts";

/** Package URL of a canonical name, without a version. */
export function packageUrl(ecosystem: Ecosystem, name: string): string {
  const path = ecosystem === "maven" ? name.replace(":", "/") : name;
  const segments = path.split("/").map(urlComponent);
  return `pkg:${packageUrlTypes[ecosystem]}/${segments.join("/")}`;
}
