import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  mergePackageDownloadSources,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import type { PythonRequirementEntry } from "./python-entries.ts";

/** Origins of the packages of a project, by the indexes that it names. */
export interface PythonIndexDownloadSources {
  readonly byName: ReadonlyMap<string, PackageDownloadOrigin>;
  /** Origin of packages that may come from any index. */
  readonly any: PackageDownloadOrigin;
}

/** Indexes of uv, and sources of Poetry, PDM and Rye. Installers ask an `explicit` index only by its name. */
export function readPythonIndexDownloadSources(tool: JsonObject): PythonIndexDownloadSources {
  const uv = asJsonObjectOrEmpty(tool["uv"]);
  const tables = [
    ...asJsonObjectElements(uv["index"]),
    ...asJsonObjectElements(asJsonObjectOrEmpty(tool["poetry"])["source"]),
    ...asJsonObjectElements(asJsonObjectOrEmpty(tool["pdm"])["source"]),
    ...asJsonObjectElements(asJsonObjectOrEmpty(tool["rye"])["sources"]),
  ];
  const rows = tables.map((table) => ({
    name: asNonBlankString(table["name"]) ?? "",
    isExplicit: table["explicit"] === true || table["priority"] === "explicit",
    origin: toRegistryDownloadSource("pypi", asNonBlankString(table["url"])),
  }));
  const urls = [
    ...asNonBlankStrings([uv["index-url"]]),
    ...asNonBlankStrings(uv["extra-index-url"]),
  ];
  return {
    byName: new Map(rows.map(({ name, origin }) => [name, origin])),
    any: mergePackageDownloadSources([
      ...rows.flatMap(({ isExplicit, origin }) => (isExplicit ? [] : [origin])),
      ...[...urls, ...asNonBlankStrings(uv["find-links"])].map((url) =>
        toRegistryDownloadSource("pypi", url),
      ),
      ...indexSettings(tool).flatMap(({ origin }) => ({ hosts: origin.hosts ?? [] })),
    ]),
  };
}

/** Hosts that any package of a pyproject.toml may come from, also one that another file asks for. */
export function listPythonIndexHosts(document: JsonObject): readonly string[] {
  return readPythonIndexDownloadSources(asJsonObjectOrEmpty(document["tool"])).any.hosts ?? [];
}

/** Settings of indexes without a known host. */
export function reportIndexesWithUnknownHost(tool: JsonObject): PythonRequirementEntry[] {
  return indexSettings(tool).flatMap(({ name, origin: { reason } }) =>
    reason === undefined ? [] : [{ group: "production", text: name, reason }],
  );
}

/** A setting for one interface of a tool or for one environment, and where it leads. */
interface IndexSetting {
  readonly name: string;
  readonly origin: PackageDownloadOrigin;
}

function indexSettings(tool: JsonObject): IndexSetting[] {
  const uv = asJsonObjectOrEmpty(tool["uv"]);
  const pip = asJsonObjectOrEmpty(uv["pip"]);
  return [
    ...["index-url", "extra-index-url", "find-links"].flatMap((name) =>
      addressSettings(name, pip[name]),
    ),
    ...[uv, pip].flatMap((table) =>
      table["no-index"] === true ? [{ name: "no-index", origin: anotherIndex }] : [],
    ),
    ...environmentVariables(tool["hatch"]).flatMap(([name, value]) => variable(name, value)),
  ];
}

const anotherIndex: PackageDownloadOrigin = {
  reason: "index_option: names may come from elsewhere",
};

function addressSettings(name: string, value: unknown): IndexSetting[] {
  const addresses = Array.isArray(value) ? asNonBlankStrings(value) : asNonBlankStrings([value]);
  return addresses.map((address) => ({ name, origin: toRegistryDownloadSource("pypi", address) }));
}

/** Variables that the environments of Hatch set for pip and uv. */
function environmentVariables(hatch: unknown): [name: string, value: unknown][] {
  const environments = Object.values(asJsonObjectOrEmpty(asJsonObjectOrEmpty(hatch)["envs"])).map(
    asJsonObjectOrEmpty,
  );
  return environments.flatMap((table) => Object.entries(asJsonObjectOrEmpty(table["env-vars"])));
}

function variable(name: string, value: unknown): IndexSetting[] {
  if (!/^(?:PIP|UV)_/.test(name)) return [];
  if (/INDEX_URL$|_INDEX$|_FIND_LINKS$/.test(name)) {
    return addressSettings(name, (asNonBlankString(value) ?? "").split(/\s+/).filter(Boolean));
  }
  const isIndex = /_NO_INDEX$|_CONFIG_FILE$|_REQUIREMENT$|_CONSTRAINT$|_OVERRIDE$/.test(name);
  return isIndex ? [{ name, origin: anotherIndex }] : [];
}
