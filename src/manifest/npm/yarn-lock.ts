import type { Beside, DependencyFile } from "../dependency-file.ts";
import { readYarnBerry } from "./yarn-berry.ts";
import { readYarnClassic } from "./yarn-classic.ts";

/** Reads a yarn.lock, of Yarn 1 or of the later ones. */
export function readYarnLock(text: string, beside: Beside): DependencyFile {
  return /^__metadata:/m.test(text) ? readYarnBerry(text, beside) : readYarnClassic(text, beside);
}
