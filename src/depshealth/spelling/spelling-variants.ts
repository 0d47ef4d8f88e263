import type { Ecosystem } from "../facts.ts";

/** What repositories add to the names of packages, and packages of other ecosystems have. */
const affixes: Readonly<Partial<Record<Ecosystem, RegExp>>> = {
  npm: /^(?:node|js)-|[-.]js$/i,
  pypi: /^(?:python|py)-|-(?:python|py)$/i,
  cargo: /^(?:rust|rs)[-_]|[-_](?:rs|rust)$/i,
  rubygems: /^(?:ruby|rb)-|-(?:ruby|rb)$/i,
};

/**
 * How else a name that its registry does not have may be spelled there, likeliest
 * first: without what only its repository is called by, in lower case where names
 * are paths, a module for a package inside it.
 */
export function listPackageNameSpellings(ecosystem: Ecosystem, name: string): readonly string[] {
  const affix = affixes[ecosystem];
  const spelled = [
    ...(affix === undefined ? [] : [name.replace(affix, "")]),
    ...(ecosystem === "rubygems" ? [swap(name)] : []),
    ...(ecosystem === "go" ? [name.toLowerCase(), name.replace(/\/v\d+$/, "")] : []),
    ...(ecosystem === "go" ? parents(name) : []),
  ];
  return [...new Set(spelled)].filter((it) => it !== name && it !== "");
}

function swap(name: string): string {
  return name.includes("_") ? name.replaceAll("_", "-") : name.replaceAll("-", "_");
}

/** Hosts whose modules have an owner and a name, so that no path above need be tried. */
const pairHost = /^(?:github|gitlab|bitbucket)\.[a-z]+\//;

/** The paths above, the nearest first: a host alone is no module, and few packages lie deeper. */
function parents(path: string): readonly string[] {
  if (pairHost.test(path)) return [];
  const parts = path.split("/");
  return parts
    .slice(2)
    .map((_, index) => parts.slice(0, parts.length - 1 - index).join("/"))
    .slice(0, 3);
}
