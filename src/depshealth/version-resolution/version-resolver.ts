import type { ManifestDependency } from "../../manifest/manifest.ts";
import type { PackageReference } from "../facts.ts";
import { resolveNpmTag, resolveNpmVersion } from "./resolve-npm-version.ts";
import { resolvePypiVersion } from "./resolve-pypi-version.ts";

/** How the version that an installer would take today is chosen. Undefined: it is exact, or the latest. */
export function createVersionRangeSelector({
  ecosystem,
  requested,
  constraint,
}: ManifestDependency): PackageReference["select"] {
  if (constraint === undefined) return undefined;
  const wanted = requested ?? "";
  if (constraint === "tag") return (published) => resolveNpmTag(published, wanted);
  if (ecosystem === "npm") return (published) => resolveNpmVersion(published, wanted);
  const takesPrereleases = constraint === "range_with_prereleases";
  return (published) => resolvePypiVersion(published, wanted, takesPrereleases);
}
