import { createHash } from "node:crypto";
import { eq, valid } from "@renovatebot/pep440";
import semver from "semver";
import type { PackageEcosystem } from "../platform/ecosystem.ts";
import {
  buildPublicRegistryFileUrl,
  buildExampleRegistryPageUrl,
} from "../platform/registry-urls.ts";
import { trimTrailingCharacter } from "../platform/trim-character.ts";
import { computeSha256Hex, truncateToExcerpt } from "./manifest.ts";
import { normalizePypiProjectName } from "./pypi/project-name.ts";
import { packageUrlTypeByEcosystem } from "./sbom/package-url-types.ts";

/** Where a package comes from, if not from the public registry of its ecosystem; empty if it does. */
export interface PackageDownloadOrigin {
  /**
   * Hosts that the package comes from, which may be mirrors of the registry: it is asked about by
   * its name, and each host is named once per file.
   */
  readonly hosts?: readonly string[];
  /** Why it is not asked about: `git`, `url`, `local`. */
  readonly reason?: string;
  /** Address of its repository, without a user, a query and a fragment. */
  readonly address?: string;
  /** Set where it is a package of the registry all the same, which the project changes. */
  readonly isAsked?: boolean;
}

/** The origin of a package that its file gives no address for. */
export const defaultPackageDownloadSource: PackageDownloadOrigin = {};

/**
 * Returns an origin for a package that a patch of the project changes: one of a registry is
 * asked about all the same.
 */
export function markPatchedDownloadSource(
  isPatched: boolean,
  origin: PackageDownloadOrigin,
): PackageDownloadOrigin {
  if (!isPatched || origin.reason !== undefined) return origin;
  return { ...origin, reason: "local: a patch of this project changes it", isAsked: true };
}

/**
 * The origin of a package of a repository, whose address is part of what a baseline accepts; an
 * archive of a forge is of its repository, whatever the commit is.
 */
export function toGitDownloadSource(
  address: string | undefined,
  reason = "git",
): PackageDownloadOrigin {
  if (address === undefined) return { reason };
  return {
    reason,
    address: shortAddress(parseForgeRepositoryUrl(address) ?? removeUserinfoAndQuery(address)),
  };
}

/**
 * The origin of a package of an address or a folder, which is part of what a baseline accepts,
 * without its user and its fragment: another query may lead to another archive.
 */
export function toNonRegistryDownloadSource(
  reason: string,
  address: string | undefined,
): PackageDownloadOrigin {
  if (address === undefined || address.trim() === "") return { reason };
  const [, plain = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(address.trim()) ?? [];
  return { reason, address: shortAddress(`${removeUserinfoAndQuery(plain)}${query}`) };
}

const maxAddressLength = 200;

/** Many packages may have one address: of a longer one its beginning and a digest are kept. */
function shortAddress(address: string): string {
  if (address.length <= maxAddressLength) return address;
  return `${address.slice(0, maxAddressLength)}… ${computeSha256Hex(address)}`;
}

/** Returns an address without a user, a query and a fragment. */
export function removeUserinfoAndQuery(address: string): string {
  const plain = address.trim().split(/[?#]/, 1)[0] ?? "";
  const start = plain.includes("://") ? plain.indexOf("://") + "://".length : 0;
  const host = plain.slice(start).split("/", 1)[0] ?? "";
  return plain.slice(0, start) + plain.slice(start + host.lastIndexOf("@") + 1);
}

/** Reason for an address of the public registry that is not the one of the package. */
const otherPackage = "url: it leads to another package of the registry";

/** Subdomains at which public registries answer as well. */
const subdomains: Readonly<Partial<Record<PackageEcosystem, readonly string[]>>> = {
  cargo: ["index", "static"],
  nuget: ["api", "www"],
  rubygems: ["index"],
};

/**
 * SHA-256 of further hosts of public registries, which no library has in its tables: Yarn's mirror,
 * the files of the Python index, and the host that Maven itself uses.
 */
const furtherHosts: Readonly<Partial<Record<PackageEcosystem, readonly string[]>>> = {
  npm: ["70bb4000cd2fab03af01fed086c6bf3c2c970f8b8b8001c311028ec3b80e775a"],
  pypi: ["c899567ee906851741bf7f3bde17a33777859ff9f53ff54d6f0ea54cf31ad636"],
  maven: ["317d2d52829b78129d2c9e43d001899f0c8d30968bae00b848a47154df56b0ca"],
};

const knownHosts = new Map<PackageEcosystem, ReadonlySet<string>>();

/** Hosts of the public registry of an ecosystem, as far as the library knows them. */
function hostsOf(ecosystem: PackageEcosystem): ReadonlySet<string> {
  const known = knownHosts.get(ecosystem);
  if (known !== undefined) return known;
  const type = packageUrlTypeByEcosystem[ecosystem];
  const { host } = buildPublicRegistryFileUrl(type);
  const hosts = new Set([
    host,
    ...(ecosystem === "packagist" ? [buildExampleRegistryPageUrl(type).host] : []),
    ...(subdomains[ecosystem] ?? []).map((label) => `${label}.${host}`),
  ]);
  knownHosts.set(ecosystem, hosts);
  return hosts;
}

function isPublicHost(ecosystem: PackageEcosystem, { host, protocol }: URL): boolean {
  if (!/^https?:$/.test(protocol)) return false;
  if (hostsOf(ecosystem).has(host)) return true;
  const further = furtherHosts[ecosystem];
  return further?.includes(createHash("sha256").update(host).digest("hex")) === true;
}

/** Origin of a package whose file names the registry or index that it comes from, if it does. */
export function toRegistryDownloadSource(
  ecosystem: PackageEcosystem,
  address: string | undefined,
): PackageDownloadOrigin {
  if (address === undefined || address.trim() === "") return defaultPackageDownloadSource;
  const url = urlIn(address);
  if (url === undefined)
    return toNonRegistryDownloadSource(isPath(address) ? "local" : "url", address);
  if (!/^https?:$/.test(url.protocol))
    return toNonRegistryDownloadSource(url.protocol === "file:" ? "local" : "url", address);
  if (ecosystem === "cargo" && isCargoGitIndex(url)) return defaultPackageDownloadSource;
  return isPublicHost(ecosystem, url) ? defaultPackageDownloadSource : { hosts: [hostIn(url)] };
}

/** Cargo names its default registry by the repository that its index once was read from. */
function isCargoGitIndex({ host, pathname }: URL): boolean {
  const name = buildPublicRegistryFileUrl(packageUrlTypeByEcosystem.cargo).host;
  const path = trimTrailingCharacter(pathname, "/").replace(/\.git$/, "");
  return host === "github.com" && path === `/rust-lang/${name}-index`;
}

/** Origin of a package of npm by the address of its archive, if a lock file has one. */
export function toNpmArchiveDownloadSource(
  name: string,
  version: string | undefined,
  address: string | undefined,
): PackageDownloadOrigin {
  if (address === undefined || address.trim() === "") return defaultPackageDownloadSource;
  if (/^(git\b|github:|gitlab:|bitbucket:|gist:|ssh:)/i.test(address))
    return toGitDownloadSource(address);
  const isOf = (path: string) => isNpmArchive(path, name, version ?? "");
  return archiveOrigin("npm", address, isOf, [name, version ?? ""]);
}

/** Origin of a Python package by the address of one of its files. */
export function toPythonFileDownloadSource(
  name: string,
  version: string,
  address: string,
): PackageDownloadOrigin {
  const isOf = (path: string) => isPythonFile(path, name, version);
  return archiveOrigin("pypi", address, isOf, []);
}

/**
 * On the public registry the path must be the one of the package and version. Another host is
 * taken for a registry if the path is such a one, or has these words in it.
 */
function archiveOrigin(
  ecosystem: PackageEcosystem,
  address: string,
  isOf: (path: string) => boolean,
  words: readonly string[],
): PackageDownloadOrigin {
  const url = urlIn(address);
  if (url === undefined)
    return toNonRegistryDownloadSource(isPath(address) ? "local" : "url", address);
  if (url.protocol === "file:") return toNonRegistryDownloadSource("local", address);
  if (!/^https?:$/.test(url.protocol)) return toNonRegistryDownloadSource("url", address);
  if (isForge(url)) return toGitDownloadSource(address);
  const path = decoded(url.pathname);
  if (isPublicHost(ecosystem, url))
    return isOf(path)
      ? defaultPackageDownloadSource
      : toNonRegistryDownloadSource(otherPackage, address);
  const isRegistry = isOf(path) || (words.length > 0 && words.every((word) => path.includes(word)));
  return isRegistry ? { hosts: [hostIn(url)] } : toNonRegistryDownloadSource("url", address);
}

/** `/name/-/name-1.0.0.tgz`, also with a scope, whose slash may be escaped. */
function isNpmArchive(path: string, name: string, version: string): boolean {
  const [folder, file = "", ...rest] = path.split("/-/");
  if (folder !== `/${name}` || rest.length > 0 || !file.endsWith(".tgz")) return false;
  const base = file.slice(file.lastIndexOf("/") + 1, -".tgz".length);
  const start = `${name.slice(name.indexOf("/") + 1)}-`;
  return base.startsWith(start) && isSameVersion(base.slice(start.length), version);
}

function isSameVersion(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [left, right].map((text) => semver.clean(text, { loose: true }));
  return one !== null && one === other;
}

/** No file of the index has a longer name. */
const maxFileNameLength = 500;

/** `name-1.0.0-py3-none-any.whl`, `name-1.0.0.tar.gz`, by any spelling of the name. */
function isPythonFile(path: string, name: string, version: string): boolean {
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (file.length > maxFileNameLength) return false;
  const stem = /^(.+)\.(?:whl|zip|tgz|tar\.\w{1,4}|egg)$/.exec(file)?.[1];
  if (stem === undefined) return false;
  const parts = stem.split("-");
  if (!file.endsWith(".whl")) {
    const start = parts.findIndex(
      (_, at) =>
        normalizePypiProjectName(parts.slice(0, at + 1).join("-")) ===
        normalizePypiProjectName(name),
    );
    return start !== -1 && isSamePythonVersion(parts.slice(start + 1).join("-"), version);
  }
  const [distribution = "", wheelVersion = ""] = parts;
  const isOwn = normalizePypiProjectName(distribution) === normalizePypiProjectName(name);
  return isOwn && isSamePythonVersion(wheelVersion, version);
}

function isSamePythonVersion(left: string, right: string): boolean {
  if (normalizePypiProjectName(left) === normalizePypiProjectName(right)) return true;
  return valid(left) !== null && valid(right) !== null && eq(left, right);
}

/** Hosts of repositories, also those at which they give archives. */
function isForge({ host }: URL): boolean {
  return /^(?:(?:www|api|codeload)\.)?(?:github\.com|gitlab\.com|bitbucket\.org)$/.test(host);
}

/** The repository, `host/owner/name`, of an address of a forge; undefined for any other. */
export function parseForgeRepositoryUrl(address: string): string | undefined {
  const scp = /^git@([^:/]+):(.*)$/.exec(address);
  const url = urlIn(scp === null ? address : `ssh://${scp[1] ?? ""}/${scp[2] ?? ""}`);
  if (url === undefined || !isForge(url)) return undefined;
  const host = url.host.replace(/^(?:www|api|codeload)\./, "");
  const path = decoded(url.pathname).toLowerCase();
  const project = /^\/api\/v4\/projects\/([^?]+?)\/repository\//.exec(path)?.[1];
  const way = project ?? path.replace(/^\/(?:repos|2\.0\/repositories)\//, "/").slice(1);
  // Groups of GitLab nest; elsewhere what follows the name is the archive.
  const parts = way.split("/").filter(Boolean);
  const repository = host === "gitlab.com" ? parts : parts.slice(0, 2);
  return `${host}/${repository.join("/").replace(/\.git$/, "")}`;
}

/** Joins the origins of the parts of a package: the first reason, all hosts, and all addresses. */
export function mergePackageDownloadSources(
  origins: readonly PackageDownloadOrigin[],
): PackageDownloadOrigin {
  const reason = origins.find((origin) => origin.reason !== undefined)?.reason;
  const hosts = [...new Set(origins.flatMap((origin) => origin.hosts ?? []))];
  const addresses = [...new Set(origins.flatMap(({ address }) => address ?? []))];
  return {
    ...(hosts.length > 0 && { hosts }),
    ...(reason !== undefined && { reason }),
    ...(addresses.length > 0 && { address: shortAddress(addresses.join(" ")) }),
  };
}

function urlIn(address: string): URL | undefined {
  const text = address.trim();
  return /^[a-z][a-z\d+.-]*:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function isPath(address: string): boolean {
  return /^(?:\.{0,2}[\\/]|~|[a-z]:[\\/]|file:)/i.test(address.trim()) || !address.includes(":");
}

function hostIn({ host, protocol }: URL): string {
  return truncateToExcerpt(host === "" ? protocol : host);
}

/** An escape that is none stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
