import type { ReadSibling, DependencyFile } from "../dependency-file.ts";
import { readYarnBerry } from "./yarn-berry.ts";
import { readYarnClassic } from "./yarn-classic.ts";

/** Reads a yarn.lock, of Yarn 1 or of the later ones. */
export function readYarnLock(text: string, beside: ReadSibling): DependencyFile {
  // Not by the flag `m`: it also ends lines at characters that end none for Yarn.
  return /(?:^|\n)__metadata:/.test(text)
    ? readYarnBerry(text, beside)
    : readYarnClassic(text, beside);
}
