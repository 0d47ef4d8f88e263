import { toRegistryDownloadSource } from "../origin.ts";

/** A repository that packages may come from, or the reason why its address is unknown. */
export interface UnparsedGradleRepository {
  readonly text: string;
  readonly reason: string;
}

const opens = /(?<![\w-])(?:maven|ivy)\b(?!-)/;

/**
 * Returns the reader of one line after the other: the repositories of an address of their own,
 * `maven { url "…" }`, `maven("…")`, also with the address lines below, and folders.
 * Any dependency may be found there.
 */
export function createGradleRepositoryReader(): (
  line: string,
) => readonly UnparsedGradleRepository[] {
  let depth = 0;
  /** Depth outside of the repository that is open. */
  let outside: number | undefined;
  return (line) => {
    const before = depth;
    const code = line.replaceAll(/"[^"]*"|'[^']*'/g, "''");
    const isOpening = opens.test(code);
    const isInside = outside !== undefined || isOpening;
    for (const [brace] of code.matchAll(/[{}]/g)) depth += brace === "{" ? 1 : -1;
    if (outside === undefined && isOpening && depth > before) outside = before;
    else if (outside !== undefined && depth <= outside) outside = undefined;
    return [...localRepositories(code), ...(isInside ? addressesOn(line, code) : [])];
  };
}

function localRepositories(code: string): UnparsedGradleRepository[] {
  const found = code.matchAll(/(?<![\w.])(mavenLocal(?=\s*\()|flatDir(?=\s*[({]))/g);
  return [...found].map(([name]) => ({ text: name, reason: "local" }));
}

function addressesOn(line: string, code: string): UnparsedGradleRepository[] {
  const addresses = [...line.matchAll(/["']([a-z]{2,9}:[^"'$]*)["']/g)].map(
    ([, each = ""]) => each,
  );
  if (addresses.length === 0) {
    const isComputed = /(?<![\w.])(?:setUrl|url)\b|(?<![\w-])(?:maven|ivy)\s*\(\s*[^\s)]/.test(
      code,
    );
    return isComputed ? [{ text: "url", reason: "environment_variable" }] : [];
  }
  return addresses.flatMap((address) => {
    const { hosts = [], reason } = toRegistryDownloadSource("maven", address);
    if (reason !== undefined) return [{ text: line.trim(), reason }];
    return hosts.map((host) => ({
      text: host,
      reason: "registry: its packages may come from this host",
    }));
  });
}
