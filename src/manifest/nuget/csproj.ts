import type { JsonObject } from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { SiblingFileReader, DependencyFile } from "../dependency-file.ts";
import { memoizeByObject } from "../document/derive-once.ts";
import {
  findXmlChildElements,
  parseXmlIgnoringCase,
  readXmlElementOrAttributeText,
  type XmlDocument,
} from "../document/xml-document.ts";
import { mergeDependencyFiles } from "../join-files.ts";
import { sourceSettingsToDependencyFile } from "../settings/source-setting.ts";
import {
  findDifferingMsbuildPropertyNames,
  hasNestedMsbuildProperty,
  findMsbuildPropertyReferences,
} from "./changed-properties.ts";
import { findNugetPackageByHintPath } from "./hint-path.ts";
import { buildNugetPackageEntry } from "./package-entry.ts";
import {
  readReferencedProjectFolders,
  reportUnreadDotnetImports,
  readDotnetProjectSdks,
} from "./project-imports.ts";
import {
  listPossibleMsbuildExpansions,
  findXmlDescendantElements,
  readNearestMsbuildFile,
  collectMsbuildProperties,
  readMsbuildRestoreSources,
  type MsbuildProperties,
} from "./project-properties.ts";
import { appendAll } from "../../platform/append-all.ts";

/** Items that name packages, each with its group; undefined: it depends on the item. */
const packageItems: readonly (readonly [item: string, group: string | undefined])[] = [
  ["packagereference", undefined],
  ["packageversion", undefined],
  // MSBuild makes its assets private.
  ["globalpackagereference", "development"],
  ["packagedownload", "download"],
  ["dotnetclitoolreference", "tool"],
];

/**
 * Reads a project file of .NET (csproj, fsproj, vbproj), or a file that becomes part of those below
 * it: its sources, its SDKs, the packages of its assemblies and its package references, whose versions may stand in the nearest
 * Directory.Packages.props. Files that it imports are reported, and the folders of other projects
 * that it refers to are members.
 */
export function parseDotnetProjectFile(text: string, beside: SiblingFileReader): DependencyFile {
  const document = parseXmlIgnoringCase(text, "project");
  const { root, lineOf } = document;
  const central = readNearestMsbuildFile("Directory.Packages.props", beside);
  const above = readNearestMsbuildFile("Directory.Build.props", beside);
  const below = readNearestMsbuildFile("Directory.Build.targets", beside);
  const properties = collectMsbuildProperties([above, central, root, below]);
  const versions = centralVersions([above, central, root, below]);
  const entries = packageItems.flatMap(([name, group]) =>
    findXmlDescendantElements(root, name).flatMap((item) => {
      const at = { group: group ?? groupOf(item), line: lineOf(item) };
      return itemEntries(item, versions, at, properties);
    }),
  );
  const hinted = findXmlDescendantElements(root, "reference").flatMap((item) => {
    const at = { group: "production", line: lineOf(item) };
    const path =
      readXmlElementOrAttributeText(item, "hintpath") ??
      readXmlElementOrAttributeText(item, "@hintpath") ??
      "";
    const found = findNugetPackageByHintPath(path);
    return found === undefined ? [] : expandedEntries(found.name, found.version, at, properties);
  });
  const inherited = inheritedEntries([above, below], versions, properties, [above, central, below]);
  const sources = readMsbuildRestoreSources(root, properties).map((source) => ({
    ...source,
    line: lineOf(source.element),
  }));
  const { folders, computed } = readReferencedProjectFolders(document, properties);
  const references = [...referencedFiles(document, properties), ...computed];
  const file = mergeDependencyFiles([
    declaredEntriesToDependencyFile("nuget", [...entries, ...hinted, ...inherited, ...references]),
    sourceSettingsToDependencyFile("nuget", sources),
  ]);
  return { ...file, members: folders };
}

/** Reads a Directory.Packages.props: the versions of a solution. */
export function parseDirectoryPackagesProps(
  text: string,
  beside: SiblingFileReader,
): DependencyFile {
  const document = parseXmlIgnoringCase(text, "project");
  const { root, lineOf } = document;
  const properties = collectMsbuildProperties([
    readNearestMsbuildFile("Directory.Build.props", beside),
    root,
  ]);
  const items = ["packageversion", "globalpackagereference", "packagereference"].flatMap((name) =>
    findXmlDescendantElements(root, name),
  );
  const entries = items.flatMap((item) => {
    const at = { group: "production", line: lineOf(item) };
    return itemEntries(item, new Map(), at, properties);
  });
  return declaredEntriesToDependencyFile("nuget", [
    ...entries,
    ...referencedFiles(document, properties),
  ]);
}

function referencedFiles(
  document: XmlDocument,
  properties: MsbuildProperties,
): DeclaredDependencyEntry[] {
  const sdks = readDotnetProjectSdks(document).flatMap(({ name, version, line }) =>
    expandedEntries(name, version, { group: "sdk", line }, properties),
  );
  return [...sdks, ...reportUnreadDotnetImports(document, properties)];
}

/** Finds the central version of a package by its name in lower case. */
type CentralVersions = Pick<ReadonlyMap<string, string>, "get">;

/** A project may have other versions of so many references of shared files. */
const maxInherited = 500;

/** References of shared files whose versions are others in this project. */
function inheritedEntries(
  shared: readonly (JsonObject | undefined)[],
  versions: CentralVersions,
  properties: MsbuildProperties,
  projects: readonly (JsonObject | undefined)[],
): DeclaredDependencyEntry[] {
  const usual = collectMsbuildProperties(projects);
  const changed = findDifferingMsbuildPropertyNames(properties, usual);
  if (changed.size === 0) return [];
  const found: DeclaredDependencyEntry[] = [];
  for (const item of shared.flatMap((project) =>
    findXmlDescendantElements(project, "packagereference"),
  )) {
    if (!refersToAny(changed, item, versions)) continue;
    const at = { group: groupOf(item), line: undefined };
    const here = itemEntries(item, versions, at, properties);
    const there = itemEntries(item, versions, at, usual);
    if (JSON.stringify(here) === JSON.stringify(there)) continue;
    if (found.length >= maxInherited) return [...found, tooManyInherited];
    appendAll(found, here);
  }
  return found;
}

const tooManyInherited: DeclaredDependencyEntry = {
  group: "production",
  text: "references of shared files",
  reason: `too_many: ${maxInherited.toString()} of them have other versions in this project`,
};

/** Whether a name of an item or one of its versions depends on one of these properties. */
function refersToAny(
  changed: ReadonlySet<string>,
  item: JsonObject,
  versions: CentralVersions,
): boolean {
  const names =
    readXmlElementOrAttributeText(item, "@include") ??
    readXmlElementOrAttributeText(item, "@update") ??
    "";
  const central = names.split(";").map((name) => versions.get(name.trim().toLowerCase()) ?? "");
  const texts = [names, ...central, ...ownVersions(item)];
  return texts.some(
    (text) =>
      hasNestedMsbuildProperty(text) ||
      findMsbuildPropertyReferences(text).some((name) => changed.has(name)),
  );
}

/** Each name of an item is asked about in each of its versions. */
const maxVersions = 20;

/** The versions that an item asks for, of each package that it names. */
function itemEntries(
  item: JsonObject,
  central: CentralVersions,
  at: { readonly group: string; readonly line: number | undefined },
  properties: MsbuildProperties,
): DeclaredDependencyEntry[] {
  const included = readXmlElementOrAttributeText(item, "@include");
  const named = included ?? readXmlElementOrAttributeText(item, "@update");
  if (named === undefined) {
    const isRemoved = readXmlElementOrAttributeText(item, "@remove") !== undefined;
    return isRemoved ? [] : [{ ...at, text: "a default", reason: "expression: it has no name" }];
  }
  const own = ownVersions(item);
  if (own.length > maxVersions) {
    return [{ ...at, text: named, reason: "too_many: an item may have 20 versions" }];
  }
  return named
    .split(";")
    .map((name) => name.trim())
    .filter(Boolean)
    .flatMap((name) => {
      const usual = included === undefined ? [] : [central.get(name.toLowerCase())];
      const asked = own.length > 0 ? own : usual;
      return asked.flatMap((version) => expandedEntries(name, version, at, properties));
    });
}

/** Several where conditions decide, or where it downloads several. */
function ownVersions(item: JsonObject): string[] {
  const versions = ["versionoverride", "version"]
    .map((name) =>
      [`@${name}`, name]
        .flatMap((each) => findXmlChildElements(item, each))
        .flatMap((each) => readXmlElementOrAttributeText(each, "#text") ?? []),
    )
    .find(({ length }) => length > 0);
  return (versions ?? []).flatMap((each) =>
    each
      .split(";")
      .map((part) => part.trim())
      .filter(Boolean),
  );
}

/** Versions of `PackageVersion` items; of several of a package the last counts. */
function centralVersions(projects: readonly (JsonObject | undefined)[]): CentralVersions {
  // Not joined: many projects may share a long list.
  const maps = projects
    .flatMap((project) => (project === undefined ? [] : [versionsOf(project)]))
    .toReversed();
  return { get: (name) => maps.find((versions) => versions.has(name))?.get(name) };
}

const versionsOf = memoizeByObject((central: JsonObject): ReadonlyMap<string, string> => {
  const rows = findXmlDescendantElements(central, "packageversion").flatMap(
    (item): [string, string][] => {
      const name =
        readXmlElementOrAttributeText(item, "@include") ??
        readXmlElementOrAttributeText(item, "@update");
      const [version] = ownVersions(item).toReversed();
      return name === undefined || version === undefined ? [] : [[name.toLowerCase(), version]];
    },
  );
  return new Map(rows);
});

function expandedEntries(
  name: string,
  version: string | undefined,
  at: { readonly group: string; readonly line: number | undefined },
  properties: MsbuildProperties,
): DeclaredDependencyEntry[] {
  const versions =
    version === undefined ? [null] : listPossibleMsbuildExpansions(version, properties);
  return listPossibleMsbuildExpansions(name, properties).flatMap((each) =>
    versions.map((requested) => buildNugetPackageEntry(each, requested, at)),
  );
}

/** What is private to a project is a tool of its build. */
function groupOf(item: JsonObject): string {
  const assets =
    readXmlElementOrAttributeText(item, "@privateassets") ??
    readXmlElementOrAttributeText(item, "privateassets");
  return assets?.toLowerCase() === "all" ? "development" : "production";
}
