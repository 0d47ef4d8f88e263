import type { DependencyFile } from "../dependency-file.ts";
import { computeSha256Hex } from "../manifest.ts";
import { toRegistryDownloadSource } from "../origin.ts";
import {
  createInstallerProgramSetting,
  sourceSettingsToDependencyFile,
  type PackageSourceSetting,
} from "./source-setting.ts";

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

/** Reads a .npmrc of npm, pnpm or Yarn 1: registries, also of scopes, and programs. */
export function parseNpmrc(text: string): DependencyFile {
  const settings = codeLines(text, /^[;#]/).flatMap(({ code, line }): PackageSourceSetting[] => {
    const [key, value] = splitAt(code, code.indexOf("="));
    const name = unquoted(key).replace(/\[\]$/, "");
    // What begins so is for the credentials of a host.
    if (name.startsWith("//")) return [];
    if (name.includes("${")) return [{ name: "a key", line, reason: "environment_variable" }];
    return npmSetting({ key: name, value: npmValue(value), line });
  });
  return sourceSettingsToDependencyFile("npm", settings);
}

function npmSetting({ key, value, line }: Pair): PackageSourceSetting[] {
  if (/^(?:@[^:]*:)?registry$/.test(key)) return [{ name: key, line, address: value }];
  const isProgram = /^(?:global-)?pnpmfile$|^(?:script-shell|git|node-options)$/.test(key);
  return isProgram ? [createInstallerProgramSetting(key, value, line)] : [];
}

/** Without quotes, a value ends where a comment begins. */
function npmValue(text: string): string {
  const value = text.trim();
  return /^["']/.test(value) ? unquoted(value) : (value.split(/[;#]/, 1)[0] ?? "").trim();
}

/** Reads a .yarnrc of Yarn 1: its settings, and arguments for its commands. */
export function parseYarnrc(text: string): DependencyFile {
  const settings = codeLines(text, /^#/).flatMap(({ code, line }): PackageSourceSetting[] => {
    const [key, rest] = splitAt(code, endOfWord(code));
    const name = unquoted(key).replace(/^--/, "");
    const value = unquoted(rest.replace(/^:/, ""));
    if (/(?:^|[.:])registry$/.test(name)) return [{ name, line, address: value }];
    if (name.endsWith("yarn-offline-mirror")) return [{ name, line, reason: "local" }];
    return name.endsWith("yarn-path") ? [createInstallerProgramSetting(name, value, line)] : [];
  });
  return sourceSettingsToDependencyFile("npm", settings);
}

/** Where the first word of a line ends, with its quotes; a scope has a colon in it. */
function endOfWord(code: string): number {
  return (/^(?:"(?:[^"\\]|\\.)*"|[^\s"]+)/.exec(code)?.[0] ?? "").replace(/:$/, "").length;
}

/** Options of pip that have `address`es of indexes and archives, or the reason why they are not read. */
const pipOptions: ReadonlyMap<string, string> = new Map([
  ["index-url", "address"],
  ["extra-index-url", "address"],
  ["find-links", "address"],
  ["no-index", "index_option"],
  ["requirement", "include"],
  ["constraint", "include"],
  ["editable", "unknown_option"],
]);

/** Reads a pip.conf or pip.ini. A value may go on in indented lines. */
export function parsePipConf(text: string): DependencyFile {
  const settings: PackageSourceSetting[] = [];
  let current = "";
  for (const { code, line, isIndented } of codeLines(text, /^[;#]/)) {
    const [first, rest] = splitAt(code, code.search(/[=:]/));
    const name = first.trim().toLowerCase().replaceAll("_", "-").replace(/^--/, "");
    const isOption = !isIndented || pipOptions.has(name);
    if (isOption) current = name;
    const kind = pipOptions.get(current);
    if (kind === undefined) continue;
    const value = isOption ? rest : code;
    if (kind !== "address") settings.push({ name: current, line, reason: kind });
    else {
      for (const address of value.split(/\s+/).filter(Boolean))
        settings.push({ name: current, line, address });
    }
  }
  return sourceSettingsToDependencyFile("pypi", settings);
}

/** Reads a .bundle/config: mirrors, folders in place of repositories, another Gemfile. */
export function parseBundleConfig(text: string): DependencyFile {
  const settings = codeLines(text, /^#/).flatMap(({ code, line }): PackageSourceSetting[] => {
    const [, key = "", value = ""] = /^["']?(BUNDLE_\S+?):\s([^]*)$/.exec(code) ?? [];
    const address = unquoted(value);
    if (key.startsWith("BUNDLE_LOCAL__")) return [{ name: "BUNDLE_LOCAL", line, reason: "local" }];
    if (key.startsWith("BUNDLE_GEMFILE")) {
      return [{ name: "BUNDLE_GEMFILE", line, reason: "include: another Gemfile is in use" }];
    }
    const isMirror = key.startsWith("BUNDLE_MIRROR__") && !/FALLBACK_TIMEOUT\/?["']?$/.test(key);
    return isMirror ? [{ name: "BUNDLE_MIRROR", line, address }] : [];
  });
  return sourceSettingsToDependencyFile("rubygems", settings);
}

const mavenOption =
  /^(-s|-gs|-is|-ps|-f|--(?:global-|install-|project-)?settings|--file|-Dmaven\.ext\.class\.path)(?:=|$)/;

/** Reads a .mvn/maven.config: arguments of Maven, of which some name other files. */
export function parseMavenConfig(text: string): DependencyFile {
  const settings = codeLines(text, /^#/).flatMap(({ code, line }) =>
    code.split(/\s+/).flatMap((word): PackageSourceSetting[] => {
      const [, name] = mavenOption.exec(word) ?? [];
      return name === undefined
        ? []
        : [{ name, line, reason: "include: the file that it names is not read" }];
    }),
  );
  return sourceSettingsToDependencyFile("maven", settings);
}

/**
 * Reads a gradle-wrapper.properties: the address of the archive of Gradle itself, unless it is the
 * one of its makers. A backslash that is not before a separator may change a key or the host.
 */
export function parseGradleWrapperProperties(text: string): DependencyFile {
  return wrapperFile(text, ["distributionUrl"], isGradleAddress);
}

/**
 * Reads a maven-wrapper.properties: the addresses of the archives of Maven and of the wrapper,
 * unless they are archives of Maven at the public registry.
 */
export function parseMavenWrapperProperties(text: string): DependencyFile {
  return wrapperFile(text, ["distributionUrl", "wrapperUrl"], isMavenAddress);
}

function wrapperFile(
  text: string,
  keys: readonly string[],
  isOwn: (address: string) => boolean,
): DependencyFile {
  const settings = codeLines(text, /^[#!]/).flatMap(({ code, line }): PackageSourceSetting[] => {
    const plain = code.replaceAll(/\\([:=])/g, "$1");
    const [key, value] = splitAt(plain, plain.search(/[=:\s]/));
    if (key.includes("\\")) return [{ name: "a key", line, reason: "url" }];
    const address = value.replace(/^[=:]\s?/, "");
    if (!keys.includes(key) || isOwn(address)) return [];
    return address.includes("\\") || isPublic(address)
      ? [{ name: key, line, reason: "url" }]
      : [{ name: key, line, address }];
  });
  return sourceSettingsToDependencyFile("maven", settings);
}

function isMavenAddress(address: string): boolean {
  return (
    isPublic(address) &&
    /^https:\/\/[^/\\]+\/maven2\/(?:org\/apache\/maven|io\/takari\/maven-wrapper)\/[\w./-]+$/.test(
      address,
    ) &&
    !address.includes("..")
  );
}

/** Whether an address is at the public registry of Maven. */
function isPublic(address: string): boolean {
  const { hosts, reason } = toRegistryDownloadSource("maven", address);
  return address !== "" && hosts === undefined && reason === undefined;
}

/** SHA-256 of the host of Gradle's own archives. */
const gradleHost = "e41a0296d2409bbccac2e7a4c03d8965be10579e6ffa60f8176e7d297e71eedd";

function isGradleAddress(address: string): boolean {
  const [, host] = /^https:\/\/([\w.-]+)\/[^\\]*$/.exec(address) ?? [];
  return host !== undefined && computeSha256Hex(host) === gradleHost;
}

/** Lines with a text, without comments and headers of sections. */
function codeLines(
  text: string,
  comment: RegExp,
): { readonly code: string; readonly line: number; readonly isIndented: boolean }[] {
  return text.split("\n").flatMap((raw, index) =>
    raw.split("\r").flatMap((part) => {
      const code = part.trim();
      if (code === "" || comment.test(code) || /^\[[^\]]*\]$/.test(code)) return [];
      return [{ code, line: index + 1, isIndented: /^\s/.test(part) }];
    }),
  );
}

/** What comes before a place, and what comes behind the character there. */
function splitAt(text: string, place: number): readonly [string, string] {
  return place < 0 ? [text, ""] : [text.slice(0, place).trim(), text.slice(place + 1).trim()];
}

/** Without quotes around it; within double quotes an escape stands for its character. */
function unquoted(text: string): string {
  const value = text.trim();
  const [, inner] = /^'(.*)'$/.exec(value) ?? [];
  if (inner !== undefined) return inner;
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}
