import type { SiblingFileReader, DependencyFile } from "../dependency-file.ts";
import { parseYarnBerryLock } from "./yarn-berry.ts";
import { parseYarnClassicLock } from "./yarn-classic.ts";

/** Reads a yarn.lock, of Yarn 1 or of the later ones. */
export function parseYarnLock(text: string, beside: SiblingFileReader): DependencyFile {
  // Not by the flag `m`: it also ends lines at characters that end none for Yarn.
  return /(?:^|\n)__metadata:/.test(text)
    ? parseYarnBerryLock(text, beside)
    : parseYarnClassicLock(text, beside);
}
