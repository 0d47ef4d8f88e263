import type { PackageEcosystem } from "../platform/ecosystem.ts";
import { normalizePypiProjectName } from "./pypi/project-name.ts";

/** What is one name for its registry is one here. */
export function normalizePackageName(ecosystem: PackageEcosystem, name: string): string {
  switch (ecosystem) {
    case "pypi":
      return normalizePypiProjectName(name);
    case "cargo":
      return name.toLowerCase().replaceAll("_", "-");
    case "nuget":
    case "packagist":
      return name.toLowerCase();
    default:
      return name;
  }
}
