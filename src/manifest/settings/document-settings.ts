import {
  asList,
  asRecord,
  asRecords,
  asText,
  asTexts,
  isRecord,
  type JsonObject,
} from "../../platform/json-value.ts";
import { replacedCrates } from "../cargo/cargo-entries.ts";
import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { findKeyLines, findTableLines, parseToml } from "../document/toml-document.ts";
import { childElements, readElementText, parseXml } from "../document/xml-document.ts";
import { parseYamlDocuments, type YamlDocument } from "../document/yaml-document.ts";
import { joinFiles } from "../join-files.ts";
import { readPackageJsonFile } from "../npm/package-json-file.ts";
import { uvForcedEntries } from "../pypi/pyproject-entries.ts";
import { locateLines } from "../pypi/pyproject.ts";
import { programSetting, settingsFile, type SourceSetting } from "./source-setting.ts";

/** Reads a .yarnrc.yml of Yarn 2 and later: registries, also of scopes, programs, and the packages of `packageExtensions`. */
export function readYarnrcYaml(text: string): DependencyFile {
  const documents = parseYamlDocuments(text);
  const settings = documents.flatMap(({ value, lines }): SourceSetting[] => {
    const top = lines();
    const scopes = Object.entries(asRecord(value["npmScopes"]));
    const name = "npmRegistryServer";
    return [
      ...addresses(name, value[name], top.get(name)),
      ...scopes.flatMap(([scope, table]) =>
        addresses(name, asRecord(table)[name], lines("npmScopes", scope).get(name)),
      ),
      ...programs("yarnPath", value["yarnPath"], top.get("yarnPath")),
      ...asList(value["plugins"]).map((plugin) =>
        programSetting(
          "plugins",
          isRecord(plugin) ? (plugin["path"] ?? plugin["spec"]) : plugin,
          top.get("plugins"),
        ),
      ),
    ];
  });
  return withPackages(settingsFile("npm", settings), documents, ["packageExtensions"]);
}

/**
 * Reads a pnpm-workspace.yaml: registries, pnpmfiles, and the packages of `configDependencies`,
 * which pnpm installs before all others and a lock file need not have, of `overrides` and of
 * `packageExtensions`.
 */
export function readPnpmWorkspace(text: string): DependencyFile {
  const documents = parseYamlDocuments(text);
  const settings = documents.flatMap(({ value, lines }): SourceSetting[] => {
    const top = lines();
    return [
      ...addresses("registry", value["registry"], top.get("registry")),
      ...["registries", "namedRegistries"].flatMap((member) =>
        Object.entries(asRecord(value[member])).flatMap(([scope, address]) =>
          addresses(member, address, lines(member).get(scope)),
        ),
      ),
      ...["pnpmfile", "globalPnpmfile"].flatMap((name) =>
        programs(name, value[name], top.get(name)),
      ),
    ];
  });
  const members = ["configDependencies", "overrides", "packageExtensions"];
  const file = withPackages(settingsFile("npm", settings), documents, members);
  return { ...file, members: documents.flatMap(({ value }) => asTexts(value["packages"])) };
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
      const file = readPackageJsonFile(JSON.stringify({ pnpm: { [member]: value[member] } }));
      return [
        { dependencies: file.dependencies.map(withLine), unparsed: file.unparsed.map(withLine) },
      ];
    }),
  );
  return joinFiles([settings, ...files]);
}

/** Reads a .pnpmfile.cjs: it is a program, whatever is in it. */
export function readPnpmfile(): DependencyFile {
  return settingsFile("npm", [programSetting("pnpmfile", undefined)]);
}

/** Reads a bunfig.toml: registries of `install`, each an address or a table with one. */
export function readBunfig(text: string): DependencyFile {
  const lineOf = findKeyLines(text);
  const install = asRecord(parseToml(text)["install"]);
  const scopes = Object.entries(asRecord(install["scopes"]));
  return settingsFile("npm", [
    ...addresses("install.registry", urlOf(install["registry"]), lineOf("registry")),
    ...scopes.flatMap(([scope, value]) =>
      addresses("install.scopes", urlOf(value), lineOf(scope) ?? lineOf("scopes")),
    ),
  ]);
}

function urlOf(value: unknown): unknown {
  return isRecord(value) ? value["url"] : value;
}

/**
 * Reads a uv.toml: its indexes and folders of archives, also those of its interface for pip, and
 * the versions that it forces on packages.
 */
export function readUvToml(text: string): DependencyFile {
  const lineOf = findKeyLines(text);
  const document = parseToml(text);
  const tables = findTableLines(text, "index", asList(document["index"]).length);
  const settings = [document, asRecord(document["pip"])].flatMap((table): SourceSetting[] => [
    ...asRecords(table["index"]).flatMap(({ url }, at) => addresses("index", url, tables[at])),
    ...["index-url", "extra-index-url", "find-links"].flatMap((name) =>
      addresses(name, table[name], lineOf(name)),
    ),
    ...(table["no-index"] === true
      ? [{ name: "no-index", line: lineOf("no-index"), reason: "index_option" }]
      : []),
  ]);
  const forced = declaredFile("pypi", locateLines(text, uvForcedEntries(document)));
  return joinFiles([settingsFile("pypi", settings), forced]);
}

/** Reads a setup.py: it is a program, which is not run. One that only calls setuptools says nothing. */
export function readSetupPy(text: string): DependencyFile {
  const isPlain = text.split("\n").every((line) => plainSetupLine.test(line.trimEnd()));
  const reason = "expression: it is a program that may name dependencies, and is not run";
  return settingsFile("pypi", isPlain ? [] : [{ name: "setup.py", reason }]);
}

/** A comment may declare an encoding by which other comments are code. */
const plainSetupLine =
  /^(?:|#(?![ -~]*coding(?!: utf-8))[ -~]*|import setuptools|from setuptools import setup|if __name__ == (?:"__main__"|'__main__'):| *(?:setuptools\.)?setup\(\))$/;

/**
 * Reads a configuration of Cargo: what takes the place of a source, further registries, patches
 * and other files.
 */
export function readCargoConfig(text: string): DependencyFile {
  const lineOf = findKeyLines(text);
  const document = parseToml(text);
  const sources = asRecord(document["source"]);
  const registries = [...Object.values(asRecord(document["registries"])), document["registry"]].map(
    asRecord,
  );
  const settings: SourceSetting[] = [
    ...Object.entries(sources).flatMap(([name, source]) =>
      cargoSource(name, asRecord(source), sources).map((setting) => ({
        ...setting,
        line: lineOf(name),
      })),
    ),
    ...registries.flatMap(({ index }) => addresses("registries", index, lineOf("index"))),
    ...replacedCrates(document).flatMap(({ name, reason, hosts = [] }): SourceSetting[] => {
      const line = lineOf(name);
      if (reason !== undefined) return [{ name: `patch.${name}`, line, reason }];
      return hosts.length === 0
        ? []
        : [{ name: `patch.${name}`, line, reason: "registry: another one is asked for it" }];
    }),
    ...asTexts(document["paths"]).map(() => ({
      name: "paths",
      line: lineOf("paths"),
      reason: "local",
    })),
    ...(document["include"] === undefined
      ? []
      : [{ name: "include", line: lineOf("include"), reason: "include: it is not read" }]),
  ];
  return settingsFile("cargo", settings);
}

function cargoSource(key: string, source: JsonObject, sources: JsonObject): SourceSetting[] {
  const name = `source.${key}`;
  const other = asText(source["replace-with"]);
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
export function readNugetConfig(text: string): DependencyFile {
  const { root, lineOf } = parseXml(text, "configuration");
  const added = (section: string) =>
    childElements(root, section).flatMap((element) => childElements(element, "add"));
  return settingsFile("nuget", [
    ...added("packageSources").flatMap((element) =>
      addresses("packageSources", readElementText(element, "@value"), lineOf(element)),
    ),
    ...added("fallbackPackageFolders").map((element) => ({
      name: "fallbackPackageFolders",
      line: lineOf(element),
      reason: "local",
    })),
  ]);
}

/** Reads settings of Maven: mirrors, and repositories of profiles. */
export function readMavenSettings(text: string): DependencyFile {
  const { root, lineOf } = parseXml(text, "settings");
  const profiles = listed([root], "profiles", "profile");
  const found = [
    ...listed([root], "mirrors", "mirror"),
    ...listed(profiles, "repositories", "repository"),
    ...listed(profiles, "pluginRepositories", "pluginRepository"),
  ];
  return settingsFile(
    "maven",
    found.flatMap((element) => addresses("url", readElementText(element, "url"), lineOf(element))),
  );
}

function listed(parents: readonly JsonObject[], list: string, name: string): JsonObject[] {
  return parents
    .flatMap((parent) => childElements(parent, list))
    .flatMap((each) => childElements(each, name));
}

/** Reads a .mvn/extensions.xml: packages that become part of Maven itself. */
export function readMavenExtensions(text: string): DependencyFile {
  const { root, lineOf } = parseXml(text, "extensions");
  const entries = childElements(root, "extension").map((element) => {
    const [groupId = "", artifactId = "", version] = ["groupId", "artifactId", "version"].map(
      (part) => readElementText(element, part),
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
  return declaredFile("maven", entries);
}

/** The addresses that a setting has, a text or a list of them. */
function addresses(name: string, value: unknown, line: number | undefined): SourceSetting[] {
  return textsOf(value).map((address) => ({ name, line, address }));
}

function programs(name: string, value: unknown, line: number | undefined): SourceSetting[] {
  return textsOf(value).map((path) => programSetting(name, path, line));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? asTexts(value) : asTexts([value]);
}
