import type { Ecosystem } from "../platform/ecosystem.ts";
import { projectName } from "./pypi/project-name.ts";

/** What is one name for its registry is one here. */
export function sameName(ecosystem: Ecosystem, name: string): string {
  switch (ecosystem) {
    case "pypi":
      return projectName(name);
    case "cargo":
      return name.toLowerCase().replaceAll("_", "-");
    case "nuget":
    case "packagist":
      return name.toLowerCase();
    default:
      return name;
  }
}
