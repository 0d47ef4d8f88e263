import type { PackageVersionFacts } from "../facts.ts";

/** Bytes that the versions of all packages of one request may need in memory, as far as they can be told. */
const maxBytes = 32 * 1024 * 1024;

/** Bytes that an object needs for one version, without its texts. */
const versionBytes = 160;

/** The memory for the versions of packages of one request. */
export class VersionMemoryBudget {
  #leftBytes = maxBytes;

  /** Takes memory for these versions. Returns false if there is not enough left. */
  take(versions: readonly PackageVersionFacts[]): boolean {
    const bytes = versions.reduce((sum, facts) => sum + bytesOf(facts), 0);
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }
}

function bytesOf({ version, license, deprecation, withdrawal }: PackageVersionFacts): number {
  const texts = [version, license, deprecation?.message, withdrawal?.reason];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), versionBytes);
}
