import type { ManifestDependency } from "../../manifest/manifest.ts";
import type { PackageReference } from "../facts.ts";
import { chooseNpmTag, chooseNpmVersion } from "./npm-choice.ts";
import { choosePypiVersion } from "./pypi-choice.ts";

/** How the version that an installer would take today is chosen. Undefined: it is exact, or the latest. */
export function versionChoice({
  ecosystem,
  requested,
  constraint,
}: ManifestDependency): PackageReference["select"] {
  if (constraint === undefined) return undefined;
  const wanted = requested ?? "";
  if (constraint === "tag") return (published) => chooseNpmTag(published, wanted);
  const choose = ecosystem === "npm" ? chooseNpmVersion : choosePypiVersion;
  return (published) => choose(published, wanted);
}
