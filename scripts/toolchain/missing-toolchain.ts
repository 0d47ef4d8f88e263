/** A toolchain that is not on this machine, or is too old; the message says what to install. */
export class MissingToolchainError extends Error {
  override readonly name = "MissingToolchainError";
}

/** Whether a dotted version is at least another: `1.26.8` and `1.26`. */
export function isVersionAtLeast(version: string, least: string): boolean {
  const had = numbersOf(version);
  for (const [at, wanted] of numbersOf(least).entries()) {
    const number = had[at] ?? 0;
    if (number !== wanted) return number > wanted;
  }
  return true;
}

function numbersOf(version: string): number[] {
  return version.split(".").map(Number);
}
