import type { JsonObject } from "../../platform/json-value.ts";
import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import type { Beside, DependencyFile } from "../dependency-file.ts";
import { elementText, xmlDocument } from "../document/xml-document.ts";
import { lowestVersion } from "./nuget-version.ts";
import { fillIn, itemsOf, nearestProject, propertiesOf } from "./project-properties.ts";

/**
 * Reads a project file of .NET (csproj, fsproj, vbproj): its package references,
 * whose versions may stand in the nearest Directory.Packages.props.
 */
export function readProjectFile(text: string, beside: Beside): DependencyFile {
  const { root, lineOf } = xmlDocument(text, "Project");
  const central = nearestProject("Directory.Packages.props", beside);
  const shared = nearestProject("Directory.Build.props", beside);
  const properties = propertiesOf([root, shared, central]);
  const versions = centralVersions(central, properties);
  const entries = itemsOf(root, "PackageReference").flatMap((item) => {
    const name = elementText(item, "@Include");
    if (name === undefined) return [];
    const own =
      elementText(item, "@VersionOverride") ??
      elementText(item, "VersionOverride") ??
      elementText(item, "@Version") ??
      elementText(item, "Version");
    const requested = own ?? versions.get(name.toLowerCase());
    const at = { group: groupOf(item), line: lineOf(item) };
    return [packageEntry(fillIn(name, properties), requested, at, properties)];
  });
  return declaredFile("nuget", entries);
}

/** Reads a Directory.Packages.props: the versions of a solution. */
export function readCentralPackages(text: string, beside: Beside): DependencyFile {
  const { root, lineOf } = xmlDocument(text, "Project");
  const properties = propertiesOf([root, nearestProject("Directory.Build.props", beside)]);
  const items = ["PackageVersion", "GlobalPackageReference"].flatMap((name) => itemsOf(root, name));
  const entries = items.flatMap((item) => {
    const name = elementText(item, "@Include") ?? elementText(item, "@Update");
    const requested = elementText(item, "@Version") ?? elementText(item, "Version");
    const at = { group: "production", line: lineOf(item) };
    return name === undefined ? [] : [packageEntry(name, requested, at, properties)];
  });
  return declaredFile("nuget", entries);
}

function centralVersions(
  central: JsonObject | undefined,
  properties: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const rows = itemsOf(central, "PackageVersion").flatMap((item): [string, string][] => {
    const name = elementText(item, "@Include");
    const version = elementText(item, "@Version") ?? elementText(item, "Version");
    if (name === undefined || version === undefined) return [];
    return [[name.toLowerCase(), fillIn(version, properties)]];
  });
  return new Map(rows);
}

function packageEntry(
  name: string,
  given: string | undefined,
  at: { readonly group: string; readonly line: number | undefined },
  properties: ReadonlyMap<string, string>,
): DeclaredEntry {
  const requested = given === undefined ? null : fillIn(given, properties);
  if (name.includes("$(") || requested?.includes("$(") === true) {
    const text = `${name} ${requested ?? ""}`;
    return { ...at, text, reason: "expression: a property has no value here" };
  }
  const version = requested === null ? undefined : lowestVersion(requested);
  return { ...at, name, requested, ...(version !== undefined && { version }) };
}

/** What is private to a project is a tool of its build. */
function groupOf(item: JsonObject): string {
  const assets = elementText(item, "@PrivateAssets") ?? elementText(item, "PrivateAssets");
  return assets?.toLowerCase() === "all" ? "development" : "production";
}
