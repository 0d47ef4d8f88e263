import type { PackageEcosystem } from "../../platform/ecosystem.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { computeSha256Hex, truncateToExcerpt, type UnparsableManifestText } from "../manifest.ts";
import {
  toRegistryDownloadSource,
  removeUserinfoAndQuery,
  type PackageDownloadOrigin,
} from "../origin.ts";

/** A setting of a package manager that changes where packages come from. */
export type PackageSourceSetting = {
  /** Name of the setting, which is shown; its value may be a secret. */
  readonly name: string;
  readonly line?: number | undefined;
} & (
  | {
      /** Address of a registry, verbatim. */
      readonly address: string;
    }
  | {
      /** A stable word, see `UnparsableManifestText`. */
      readonly reason: string;
    }
);

/** Reason for code of the project that an installer runs. */
const programReason = "expression: a program that changes what is installed";

/**
 * Returns the result for a file of settings: it names no packages. Each host other than the public
 * registry is one entry, and so is each setting whose address cannot be told.
 */
export function sourceSettingsToDependencyFile(
  ecosystem: PackageEcosystem,
  settings: readonly PackageSourceSetting[],
): DependencyFile {
  const rows = new Map<string, UnparsableManifestText>();
  for (const setting of settings) {
    for (const row of rowsOf(ecosystem, setting)) {
      const key = JSON.stringify([row.text, row.reason]);
      if (!rows.has(key)) rows.set(key, row);
    }
  }
  return { dependencies: [], unparsed: [...rows.values()] };
}

/** A setting that names a program of the project, by its path if it looks like one. */
export function createInstallerProgramSetting(
  name: string,
  path: unknown,
  line?: number,
): PackageSourceSetting {
  const isPath = typeof path === "string" && /^[\w@./+-]{1,200}$/.test(path);
  return { name: isPath ? `${name}: ${path}` : name, line, reason: programReason };
}

function rowsOf(
  ecosystem: PackageEcosystem,
  setting: PackageSourceSetting,
): UnparsableManifestText[] {
  const at = setting.line === undefined ? {} : { line: setting.line };
  const { hosts = [], reason }: PackageDownloadOrigin =
    "address" in setting ? settingOrigin(ecosystem, setting.address) : { reason: setting.reason };
  if (reason !== undefined) {
    // The address is not shown, and another one is another text.
    const whole =
      "address" in setting ? `${setting.name} ${removeUserinfoAndQuery(setting.address)}` : "";
    const digest = whole === "" ? {} : { digest: computeSha256Hex(whole) };
    return [{ ...at, text: truncateToExcerpt(setting.name), ...digest, reason }];
  }
  return hosts.map((host) => ({
    ...at,
    text: host,
    reason: "registry: packages may come from this host",
  }));
}

/** A variable before the path may change the host, whatever the rest looks like. */
function settingOrigin(ecosystem: PackageEcosystem, value: string): PackageDownloadOrigin {
  const address = value.trim().replace(/^sparse\+/, "");
  const origin = toRegistryDownloadSource(ecosystem, address);
  const [host] = origin.hosts ?? [];
  if (host !== undefined && !/[$%{}]/.test(host)) return origin;
  const authority = /^[a-z+]{1,20}:\/\/([^/?#]*)/i.exec(address)?.[1] ?? address;
  if (/[$%]/.test(authority)) return { reason: "environment_variable" };
  // Programs differ in what they make of these; the parser of this one may name the wrong host.
  return /[\\\s]/.test(address) ? { reason: "url" } : origin;
}
