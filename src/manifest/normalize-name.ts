import type { Ecosystem } from "../platform/ecosystem.ts";
import { normalizeProjectName } from "./pypi/project-name.ts";

/** What is one name for its registry is one here. */
export function normalizeName(ecosystem: Ecosystem, name: string): string {
  switch (ecosystem) {
    case "pypi":
      return normalizeProjectName(name);
    case "cargo":
      return name.toLowerCase().replaceAll("_", "-");
    case "nuget":
    case "packagist":
      return name.toLowerCase();
    default:
      return name;
  }
}
