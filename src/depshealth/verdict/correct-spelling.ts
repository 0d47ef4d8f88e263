import type { Ecosystem } from "../facts.ts";
import { trimTrailingCharacter } from "../../platform/trim-character.ts";

/** A name as its registry writes it, and the version that stood behind it. */
interface Spelling {
  readonly name: string;
  readonly version?: string;
}

/** The place of the name in a registry's pages: `/package/lodash`, `/project/requests/2.0`. */
const pagePath = /\/(?:packages?|projects?|crates|gems)\/(@[^/?#]+\/[^/?#]+|[^/?#]+)/;

/**
 * What a name was meant to be that no registry has as it was written: a version or extras
 * beside it, the address of a page, the spelling of another tool. Undefined: it looks like a name.
 */
export function formatNameCorrectionAdvice(
  ecosystem: Ecosystem,
  written: string,
): string | undefined {
  const meant = withVersion(ecosystem, bare(ecosystem, written.trim()));
  const name = spell(ecosystem, meant.name);
  if (name === written || name === "") return undefined;
  const version = meant.version === undefined ? "" : ` and the version as \`${meant.version}\``;
  return `write the name as \`${name}\`${version}`;
}

/** Of an address or a package URL the part that names the package. */
function bare(ecosystem: Ecosystem, text: string): string {
  const url = /^pkg:[a-z]+\/([^?#]+)/.exec(text)?.[1];
  if (url !== undefined) return decode(url);
  const [, location] = /^https?:\/\/([^?#]+)/i.exec(text) ?? [];
  if (location === undefined) return text;
  const address = trimTrailingCharacter(location, "/");
  const [, named] = pagePath.exec(`/${address}`) ?? [];
  if (named !== undefined) return named;
  // Modules are named by addresses; pages of the site of packages have them behind its own.
  if (ecosystem !== "go") return address.split("/").at(-1) ?? "";
  return /^[^/]+\/([\w-]+(?:\.[\w-]+)+\/.+)$/.exec(address)?.[1] ?? address;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withVersion(ecosystem: Ecosystem, text: string): Spelling {
  const plain = ecosystem === "pypi" ? withoutExtras(text) : text;
  const [, name, version] =
    /^(@?[^@=<>~!\s]+)(?:\s*(?:@|===?|[<>~!]=)\s*|\s+)v?([^\s,;]+)$/.exec(plain) ?? [];
  if (name !== undefined && version !== undefined) {
    return { name, version: ecosystem === "go" ? `v${version}` : version };
  }
  const [, coordinates, last] = /^([^:]+:[^:]+):([^:]+)$/.exec(plain) ?? [];
  if (ecosystem !== "maven" || coordinates === undefined) return { name: plain };
  return last === undefined ? { name: coordinates } : { name: coordinates, version: last };
}

/** `name [extra] ==1.0` without what stands in brackets. */
function withoutExtras(text: string): string {
  const start = text.indexOf("[");
  const end = text.indexOf("]", start);
  return start === -1 || end === -1 ? text : text.slice(0, start).trimEnd() + text.slice(end + 1);
}

function spell(ecosystem: Ecosystem, name: string): string {
  if (ecosystem === "npm") return name.toLowerCase();
  if (ecosystem === "maven") return name.includes(":") ? name : name.replace(/\/(?=[^/]*$)/, ":");
  if (ecosystem === "packagist") return name.includes("/") ? name : name.replace(":", "/");
  return ecosystem === "go" ? modulePath(name) : name;
}

/** Modules of the large hosts are their repositories, with a major version perhaps. */
function modulePath(name: string): string {
  const [, module] = packageInModule.exec(name) ?? [];
  return module === undefined || majorModule.test(name) ? name : module;
}

const packageInModule =
  /^((?:github\.com|gitlab\.com|bitbucket\.org)\/[^/]+\/[^/]+(?:\/v\d+)?)\/.+$/;
const majorModule = /^[^/]+\/[^/]+\/[^/]+\/v\d+$/;
