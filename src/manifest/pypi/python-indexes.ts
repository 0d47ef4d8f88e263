import {
  asRecord,
  asRecords,
  asText,
  asTexts,
  type JsonObject,
} from "../../platform/json-value.ts";
import { joinOrigins, registryOrigin, type Origin } from "../origin.ts";
import type { PythonEntry } from "./python-entries.ts";

/** Origins of the packages of a project, by the indexes that it names. */
export interface IndexOrigins {
  readonly byName: ReadonlyMap<string, Origin>;
  /** Origin of packages that may come from any index. */
  readonly any: Origin;
}

/** Indexes of uv, and sources of Poetry, PDM and Rye. Installers ask an `explicit` index only by its name. */
export function indexOrigins(tool: JsonObject): IndexOrigins {
  const uv = asRecord(tool["uv"]);
  const tables = [
    ...asRecords(uv["index"]),
    ...asRecords(asRecord(tool["poetry"])["source"]),
    ...asRecords(asRecord(tool["pdm"])["source"]),
    ...asRecords(asRecord(tool["rye"])["sources"]),
  ];
  const rows = tables.map((table) => ({
    name: asText(table["name"]) ?? "",
    isExplicit: table["explicit"] === true || table["priority"] === "explicit",
    origin: registryOrigin("pypi", asText(table["url"])),
  }));
  const urls = [...asTexts([uv["index-url"]]), ...asTexts(uv["extra-index-url"])];
  return {
    byName: new Map(rows.map(({ name, origin }) => [name, origin])),
    any: joinOrigins([
      ...rows.flatMap(({ isExplicit, origin }) => (isExplicit ? [] : [origin])),
      ...[...urls, ...asTexts(uv["find-links"])].map((url) => registryOrigin("pypi", url)),
      ...indexSettings(tool).flatMap(({ origin }) => ({ hosts: origin.hosts ?? [] })),
    ]),
  };
}

/** Hosts that any package of a pyproject.toml may come from, also one that another file asks for. */
export function indexHosts(document: JsonObject): readonly string[] {
  return indexOrigins(asRecord(document["tool"])).any.hosts ?? [];
}

/** Settings of indexes without a known host. */
export function indexEntries(tool: JsonObject): PythonEntry[] {
  return indexSettings(tool).flatMap(({ name, origin: { reason } }) =>
    reason === undefined ? [] : [{ group: "production", text: name, reason }],
  );
}

/** A setting for one interface of a tool or for one environment, and where it leads. */
interface IndexSetting {
  readonly name: string;
  readonly origin: Origin;
}

function indexSettings(tool: JsonObject): IndexSetting[] {
  const uv = asRecord(tool["uv"]);
  const pip = asRecord(uv["pip"]);
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

const anotherIndex: Origin = { reason: "index_option: names may come from elsewhere" };

function addressSettings(name: string, value: unknown): IndexSetting[] {
  const addresses = Array.isArray(value) ? asTexts(value) : asTexts([value]);
  return addresses.map((address) => ({ name, origin: registryOrigin("pypi", address) }));
}

/** Variables that the environments of Hatch set for pip and uv. */
function environmentVariables(hatch: unknown): [name: string, value: unknown][] {
  const environments = Object.values(asRecord(asRecord(hatch)["envs"])).map(asRecord);
  return environments.flatMap((table) => Object.entries(asRecord(table["env-vars"])));
}

function variable(name: string, value: unknown): IndexSetting[] {
  if (!/^(?:PIP|UV)_/.test(name)) return [];
  if (/INDEX_URL$|_INDEX$|_FIND_LINKS$/.test(name)) {
    return addressSettings(name, (asText(value) ?? "").split(/\s+/).filter(Boolean));
  }
  const isIndex = /_NO_INDEX$|_CONFIG_FILE$|_REQUIREMENT$|_CONSTRAINT$|_OVERRIDE$/.test(name);
  return isIndex ? [{ name, origin: anotherIndex }] : [];
}
