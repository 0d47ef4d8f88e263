import { trimTrailingCharacter } from "../../platform/trim-character.ts";
/** Sources beside the registries, at their public addresses. */
const publicAddresses = {
  osv: "https://api.osv.dev",
  depsdev: "https://api.deps.dev",
  ecosystems: "https://packages.ecosyste.ms",
  github: "https://api.github.com",
  gitlab: "https://gitlab.com",
  forgejo: "https://codeberg.org",
  endoflife: "https://endoflife.date",
} as const;

export type NonRegistryDataSourceName = keyof typeof publicAddresses;

/** Where a source is asked; undefined: it is off. A public host is nobody's own, however it was set. */
export function resolveDataSourceAddress(
  source: NonRegistryDataSourceName,
  configured: Readonly<Record<string, string>>,
): { readonly base: string; readonly isOwn: boolean } | undefined {
  const address = configured[source] ?? publicAddresses[source];
  if (address === "off") return undefined;
  return {
    base: withoutVersion(source, trimTrailingCharacter(address, "/")),
    isOwn: new URL(address).hostname !== new URL(publicAddresses[source]).hostname,
  };
}

/** Paths that people write with the address of a service, and that requests name themselves. */
const ownPaths: Readonly<Record<NonRegistryDataSourceName, RegExp>> = {
  osv: /\/v1$/,
  depsdev: /\/v3(?:alpha)?$/,
  ecosystems: /\/api\/v1$/,
  github: /\/graphql$/,
  gitlab: /\/api\/v4$/,
  forgejo: /\/api\/v1$/,
  endoflife: /\/api(?:\/v1)?$/,
};

function withoutVersion(source: NonRegistryDataSourceName, base: string): string {
  return base.replace(ownPaths[source], "");
}
