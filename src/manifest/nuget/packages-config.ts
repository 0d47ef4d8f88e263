import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import {
  findXmlChildElements,
  parseXmlIgnoringCase,
  readXmlElementOrAttributeText,
} from "../document/xml-document.ts";
import { buildNugetPackageEntry } from "./package-entry.ts";

/**
 * Reads a packages.config of NuGet. It has an exact version of every package, also of those that
 * only other packages need, and does not tell which these are.
 */
export function parsePackagesConfig(text: string): DependencyFile {
  const { root, lineOf } = parseXmlIgnoringCase(text, "packages");
  const entries = findXmlChildElements(root, "package").map((element): DeclaredDependencyEntry => {
    const [name, version] = ["@id", "@version"].map((each) =>
      readXmlElementOrAttributeText(element, each),
    );
    const isDevelopment = readXmlElementOrAttributeText(
      element,
      "@developmentdependency",
    )?.toLowerCase();
    const group = isDevelopment === "true" ? "development" : "production";
    const at = { group, line: lineOf(element) };
    if (name === undefined) return { ...at, text: "package", reason: "invalid_line: it has no id" };
    return buildNugetPackageEntry(name, version ?? null, at);
  });
  const file = declaredEntriesToDependencyFile("nuget", entries);
  const dependencies = file.dependencies.map((each) => ({
    ...each,
    relation: "unknown" as const,
    paths: [],
  }));
  return { ...file, dependencies };
}
