import {
  asArrayOrEmpty,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  isJsonObject,
  type JsonObject,
} from "../../platform/json-value.ts";
import { readCrateReplacements } from "../cargo/cargo-entries.ts";
import { declaredEntriesToDependencyFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import {
  createTomlKeyLineLookup,
  findTomlTableLines,
  parseToml,
} from "../document/toml-document.ts";
import {
  findXmlChildElements,
  readXmlElementOrAttributeText,
  parseXml,
} from "../document/xml-document.ts";
import { parseYamlDocuments, type YamlDocument } from "../document/yaml-document.ts";
import { mergeDependencyFiles } from "../join-files.ts";
import { parsePackageJsonFile } from "../npm/package-json-file.ts";
import { readUvForcedEntries } from "../pypi/pyproject-entries.ts";
import { addRequirementLineNumbers } from "../pypi/pyproject.ts";
import { includeEntryPrereleases } from "../pypi/python-entries.ts";
import {
  createInstallerProgramSetting,
  sourceSettingsToDependencyFile,
  type PackageSourceSetting,
} from "./source-setting.ts";

/** Reads a .yarnrc.yml of Yarn 2 and later: registries, also of scopes, programs, and the packages of `packageExtensions`. */
export function parseYarnrcYaml(text: string): DependencyFile {
  const documents = parseYamlDocuments(text);
  const settings = documents.flatMap(({ value, lines }): PackageSourceSetting[] => {
    const top = lines();
    const scopes = Object.entries(asJsonObjectOrEmpty(value["npmScopes"]));
    const name = "npmRegistryServer";
    return [
      ...addresses(name, value[name], top.get(name)),
      ...scopes.flatMap(([scope, table]) =>
        addresses(name, asJsonObjectOrEmpty(table)[name], lines("npmScopes", scope).get(name)),
      ),
      ...programs("yarnPath", value["yarnPath"], top.get("yarnPath")),
      ...asArrayOrEmpty(value["plugins"]).map((plugin) =>
        createInstallerProgramSetting(
          "plugins",
          isJsonObject(plugin) ? (plugin["path"] ?? plugin["spec"]) : plugin,
          top.get("plugins"),
        ),
      ),
    ];
  });
  return withPackages(sourceSettingsToDependencyFile("npm", settings), documents, [
    "packageExtensions",
  ]);
}

/**
 * Reads a pnpm-workspace.yaml: registries, pnpmfiles, and the packages of `configDependencies`,
 * which pnpm installs before all others and a lock file need not have, of `overrides` and of
 * `packageExtensions`.
 */
export function parsePnpmWorkspace(text: string): DependencyFile {
  const documents = parseYamlDocuments(text);
  const settings = documents.flatMap(({ value, lines }): PackageSourceSetting[] => {
    const top = lines();
    return [
      ...addresses("registry", value["registry"], top.get("registry")),
      ...["registries", "namedRegistries"].flatMap((member) =>
        Object.entries(asJsonObjectOrEmpty(value[member])).flatMap(([scope, address]) =>
          addresses(member, address, lines(member).get(scope)),
        ),
      ),
      ...["pnpmfile", "globalPnpmfile"].flatMap((name) =>
        programs(name, value[name], top.get(name)),
      ),
    ];
  });
  const members = ["configDependencies", "overrides", "packageExtensions"];
  const file = withPackages(sourceSettingsToDependencyFile("npm", settings), documents, members);
  return {
    ...file,
    members: documents.flatMap(({ value }) => asNonBlankStrings(value["packages"])),
  };
}

/** Adds the packages in members of settings that a package.json may have as well. */
function withPackages(
  settings: DependencyFile,
  documents: readonly YamlDocument[],
  members: readonly string[],
): DependencyFile {
  const files = documents.flatMap(({ value, lines }) =>
    members.flatMap((member) => {
      if (value[member] === undefined) return [];
      const lineOf = lines(member);
      const top = lines().get(member);
      const withLine = <Row extends { readonly name?: string; readonly line?: number }>(
        row: Row,
      ) => {
        const { line: _, ...rest } = row;
        const line = lineOf.get(row.name ?? "") ?? top;
        return { ...rest, ...(line !== undefined && { line }) };
      };
      const file = parsePackageJsonFile(JSON.stringify({ pnpm: { [member]: value[member] } }));
      return [
        { dependencies: file.dependencies.map(withLine), unparsed: file.unparsed.map(withLine) },
      ];
    }),
  );
  return mergeDependencyFiles([settings, ...files]);
}

/** Reads a .pnpmfile.cjs: it is a program, whatever is in it. */
export function reportPnpmfile(): DependencyFile {
  return sourceSettingsToDependencyFile("npm", [
    createInstallerProgramSetting("pnpmfile", undefined),
  ]);
}

/** Reads a bunfig.toml: registries of `install`, each an address or a table with one. */
export function parseBunfig(text: string): DependencyFile {
  const lineOf = createTomlKeyLineLookup(text);
  const install = asJsonObjectOrEmpty(parseToml(text)["install"]);
  const scopes = Object.entries(asJsonObjectOrEmpty(install["scopes"]));
  return sourceSettingsToDependencyFile("npm", [
    ...addresses("install.registry", urlOf(install["registry"]), lineOf("registry")),
    ...scopes.flatMap(([scope, value]) =>
      addresses("install.scopes", urlOf(value), lineOf(scope) ?? lineOf("scopes")),
    ),
  ]);
}

function urlOf(value: unknown): unknown {
  return isJsonObject(value) ? value["url"] : value;
}

/**
 * Reads a uv.toml: its indexes and folders of archives, also those of its interface for pip, and
 * the versions that it forces on packages.
 */
export function parseUvToml(text: string): DependencyFile {
  const lineOf = createTomlKeyLineLookup(text);
  const document = parseToml(text);
  const tables = findTomlTableLines(text, "index", asArrayOrEmpty(document["index"]).length);
  const settings = [document, asJsonObjectOrEmpty(document["pip"])].flatMap(
    (table): PackageSourceSetting[] => [
      ...asJsonObjectElements(table["index"]).flatMap(({ url }, at) =>
        addresses("index", url, tables[at]),
      ),
      ...["index-url", "extra-index-url", "find-links"].flatMap((name) =>
        addresses(name, table[name], lineOf(name)),
      ),
      ...(table["no-index"] === true
        ? [{ name: "no-index", line: lineOf("no-index"), reason: "index_option" }]
        : []),
    ],
  );
  const entries = readUvForcedEntries(document);
  const isAllowed = document["prerelease"] === "allow";
  const forced = declaredEntriesToDependencyFile(
    "pypi",
    addRequirementLineNumbers(text, isAllowed ? entries.map(includeEntryPrereleases) : entries),
  );
  return mergeDependencyFiles([sourceSettingsToDependencyFile("pypi", settings), forced]);
}

/** Reads a setup.py: it is a program, which is not run. One that only calls setuptools says nothing. */
export function reportSetupPy(text: string): DependencyFile {
  const isPlain = text.split("\n").every((line) => plainSetupLine.test(line.trimEnd()));
  const reason = "expression: it is a program that may name dependencies, and is not run";
  return sourceSettingsToDependencyFile("pypi", isPlain ? [] : [{ name: "setup.py", reason }]);
}

/** A comment may declare an encoding by which other comments are code. */
const plainSetupLine =
  /^(?:|#(?![ -~]*coding(?!: utf-8))[ -~]*|import setuptools|from setuptools import setup|if __name__ == (?:"__main__"|'__main__'):| *(?:setuptools\.)?setup\(\))$/;

/**
 * Reads a configuration of Cargo: what takes the place of a source, further registries, patches
 * and other files.
 */
export function parseCargoConfig(text: string): DependencyFile {
  const lineOf = createTomlKeyLineLookup(text);
  const document = parseToml(text);
  const sources = asJsonObjectOrEmpty(document["source"]);
  const registries = [
    ...Object.values(asJsonObjectOrEmpty(document["registries"])),
    document["registry"],
  ].map(asJsonObjectOrEmpty);
  const settings: PackageSourceSetting[] = [
    ...Object.entries(sources).flatMap(([name, source]) =>
      cargoSource(name, asJsonObjectOrEmpty(source), sources).map((setting) => ({
        ...setting,
        line: lineOf(name),
      })),
    ),
    ...registries.flatMap(({ index }) => addresses("registries", index, lineOf("index"))),
    ...readCrateReplacements(document).flatMap(
      ({ name, reason, hosts = [] }): PackageSourceSetting[] => {
        const line = lineOf(name);
        if (reason !== undefined) return [{ name: `patch.${name}`, line, reason }];
        return hosts.length === 0
          ? []
          : [{ name: `patch.${name}`, line, reason: "registry: another one is asked for it" }];
      },
    ),
    ...asNonBlankStrings(document["paths"]).map(() => ({
      name: "paths",
      line: lineOf("paths"),
      reason: "local",
    })),
    ...(document["include"] === undefined
      ? []
      : [{ name: "include", line: lineOf("include"), reason: "include: it is not read" }]),
  ];
  return sourceSettingsToDependencyFile("cargo", settings);
}

function cargoSource(key: string, source: JsonObject, sources: JsonObject): PackageSourceSetting[] {
  const name = `source.${key}`;
  const other = asNonBlankString(source["replace-with"]);
  return [
    ...addresses(name, source["registry"], undefined),
    ...(source["git"] === undefined ? [] : [{ name, reason: "git" }]),
    ...(source["directory"] === undefined && source["local-registry"] === undefined
      ? []
      : [{ name, reason: "local" }]),
    ...(other === undefined || Object.hasOwn(sources, other)
      ? []
      : [{ name, reason: "reference: the source in its place is not in this file" }]),
  ];
}

/** Reads a nuget.config: sources of packages, and folders that come before them. */
export function parseNugetConfig(text: string): DependencyFile {
  const { root, lineOf } = parseXml(text, "configuration");
  const added = (section: string) =>
    findXmlChildElements(root, section).flatMap((element) => findXmlChildElements(element, "add"));
  return sourceSettingsToDependencyFile("nuget", [
    ...added("packageSources").flatMap((element) =>
      addresses(
        "packageSources",
        readXmlElementOrAttributeText(element, "@value"),
        lineOf(element),
      ),
    ),
    ...added("fallbackPackageFolders").map((element) => ({
      name: "fallbackPackageFolders",
      line: lineOf(element),
      reason: "local",
    })),
  ]);
}

/** Reads settings of Maven: mirrors, and repositories of profiles. */
export function parseMavenSettings(text: string): DependencyFile {
  const { root, lineOf } = parseXml(text, "settings");
  const profiles = listed([root], "profiles", "profile");
  const found = [
    ...listed([root], "mirrors", "mirror"),
    ...listed(profiles, "repositories", "repository"),
    ...listed(profiles, "pluginRepositories", "pluginRepository"),
  ];
  return sourceSettingsToDependencyFile(
    "maven",
    found.flatMap((element) =>
      addresses("url", readXmlElementOrAttributeText(element, "url"), lineOf(element)),
    ),
  );
}

function listed(parents: readonly JsonObject[], list: string, name: string): JsonObject[] {
  return parents
    .flatMap((parent) => findXmlChildElements(parent, list))
    .flatMap((each) => findXmlChildElements(each, name));
}

/** Reads a .mvn/extensions.xml: packages that become part of Maven itself. */
export function parseMavenExtensions(text: string): DependencyFile {
  const { root, lineOf } = parseXml(text, "extensions");
  const entries = findXmlChildElements(root, "extension").map((element) => {
    const [groupId = "", artifactId = "", version] = ["groupId", "artifactId", "version"].map(
      (part) => readXmlElementOrAttributeText(element, part),
    );
    const at = { group: "build", line: lineOf(element) };
    const name = `${groupId}:${artifactId}`;
    if (`${name}${version ?? ""}`.includes("${")) {
      return { ...at, text: name, reason: "expression: a property has no value here" };
    }
    return {
      ...at,
      name,
      requested: version ?? null,
      ...(version !== undefined && { version }),
    };
  });
  return declaredEntriesToDependencyFile("maven", entries);
}

/** The addresses that a setting has, a text or a list of them. */
function addresses(name: string, value: unknown, line: number | undefined): PackageSourceSetting[] {
  return textsOf(value).map((address) => ({ name, line, address }));
}

function programs(name: string, value: unknown, line: number | undefined): PackageSourceSetting[] {
  return textsOf(value).map((path) => createInstallerProgramSetting(name, path, line));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? asNonBlankStrings(value) : asNonBlankStrings([value]);
}
