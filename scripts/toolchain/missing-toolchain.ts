/** A toolchain that is not on this machine, or is too old; the message says what to install. */
export class MissingToolchain extends Error {
  override readonly name = "MissingToolchain";
}

/** Whether a dotted version is at least another: `1.26.8` and `1.25`. */
export function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) => text.split(".").map(Number);
  const had = numbers(version);
  for (const [at, wanted] of numbers(least).entries()) {
    const number = had[at] ?? 0;
    if (number !== wanted) return number > wanted;
  }
  return true;
}
