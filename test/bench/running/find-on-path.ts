import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The directories of PATH, and those of system programs that a user's PATH may lack. */
const directories = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];

/** The absolute path of a program, or undefined. */
export function findOnPath(name: string): string | undefined {
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
