import type { DependencyFile } from "./dependency-file.ts";

/** Joins what several parts of one file name. */
export function mergeDependencyFiles(files: readonly DependencyFile[]): DependencyFile {
  return {
    dependencies: files.flatMap(({ dependencies }) => dependencies),
    unparsed: files.flatMap(({ unparsed }) => unparsed),
  };
}
