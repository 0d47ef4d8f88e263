import { asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import type { PackageRepositoryLink } from "../ecosystem/registry.ts";

/** A repository by its address. */
export interface RepositoryAddress {
  /** Web address without anything after the repository. */
  readonly url: string;
  readonly host: string;
  /** May hold slashes: GitLab has groups in groups. */
  readonly owner: string | null;
  readonly name: string | null;
  readonly directory: string | null;
}

/** Hosts whose addresses are `owner/name`. */
const pairHosts = new Set(["github.com", "codeberg.org", "bitbucket.org", "gitea.com"]);
/** Words in the place of an owner that are pages of the host. */
const pages = new Set(["sponsors", "orgs", "topics", "marketplace", "apps", "users", "explore"]);
const segmentPattern = /^[\w.~+-]{1,100}$/;

/** The first link that leads to a repository; null: none does. */
export function findRepositoryAddress(
  links: readonly PackageRepositoryLink[],
): RepositoryAddress | null {
  for (const link of links) {
    const address = parseRepository(link);
    if (address !== null) return address;
  }
  return null;
}

function parseRepository({ url, directory }: PackageRepositoryLink): RepositoryAddress | null {
  const address = asUrlWithinLengthLimit(url);
  const parsed = address === undefined ? null : URL.parse(webAddress(address));
  if (parsed === null || !parsed.hostname.includes(".")) return null;
  const host = parsed.hostname.replace(/^www\./, "");
  const segments = segmentsOf(parsed.pathname);
  const place = placeOf(host, segments);
  if (place === null) return null;
  const [owner, name] = place;
  return {
    url: `https://${host}/${owner}/${name}`,
    host,
    owner,
    name,
    directory: directory ?? directoryIn(segments),
  };
}

/** `git+ssh://git@host/a/b.git`, `git@host:a/b.git` and `scm:git:…` as an https address. */
function webAddress(text: string): string {
  return text
    .trim()
    .replace(/^scm:(?:git|svn|hg)?:?/i, "")
    .replace(/^(?:[\w.-]+@)([\w.-]+):(?!\d+\/)/, "https://$1/")
    .replace(/^[a-z+]+:\/\/(?:[^@/]+@)?/i, "https://")
    .replace(/^(?=[\w-]+(?:\.[\w-]+)+\/)/, "https://");
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function placeOf(host: string, segments: readonly string[]): readonly [string, string] | null {
  if (pairHosts.has(host)) return pairOf(segments);
  // Other hosts are taken for one of repositories by their name, or by a path that ends in .git.
  const looksLike = /^(?:git|gitlab|gitea|forgejo|code|src)\./.test(host) || host === "gitlab.com";
  const isGit = segments.at(-1)?.endsWith(".git") === true;
  if (!looksLike && !isGit) return null;
  const end = segments.indexOf("-");
  return groupsOf(end === -1 ? segments : segments.slice(0, end));
}

function pairOf([owner = "", repository = ""]: readonly string[]):
  | readonly [string, string]
  | null {
  const name = repository.replace(/\.git$/, "");
  const isPair =
    segmentPattern.test(owner) && segmentPattern.test(name) && !isDots(owner) && !isDots(name);
  return isPair && !pages.has(owner) ? [owner, name] : null;
}

function groupsOf(segments: readonly string[]): readonly [string, string] | null {
  const name = segments.at(-1)?.replace(/\.git$/, "") ?? "";
  const groups = segments.slice(0, -1);
  const isPlace = [...groups, name].every((part) => segmentPattern.test(part) && !isDots(part));
  return groups.length > 0 && isPlace ? [groups.join("/"), name] : null;
}

function isDots(segment: string): boolean {
  return /^\.+$/.test(segment);
}

/** Of `…/tree/main/packages/a` and `…/src/branch/main/packages/a`: what stands behind the branch. */
function directoryIn(segments: readonly string[]): string | null {
  const start = segments.findIndex(
    (segment, at) =>
      segment === "tree" ||
      segment === "blob" ||
      (segment === "src" && segments[at + 1] === "branch"),
  );
  if (start === -1) return null;
  const branch = segments[start] === "src" ? start + 2 : start + 1;
  const directory = segments.slice(branch + 1).join("/");
  return directory === "" ? null : directory;
}
