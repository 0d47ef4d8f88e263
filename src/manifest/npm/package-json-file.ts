import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import type { ReadManifest } from "../manifest.ts";
import { readPackageJson } from "../package-json/read-package-json.ts";
import { readSiblingWorkspaces } from "./npm-roots.ts";

/** Reads a package.json as the service does. */
export function readPackageJsonFile(text: string): DependencyFile {
  return { ...toDependencyFile(readPackageJson(text)), members: readSiblingWorkspaces(() => text) };
}

/** What was read of a manifest, in the shape that all files have. */
export function toDependencyFile({ dependencies, unparsed }: ReadManifest): DependencyFile {
  const [first] = dependencies;
  const file = declaredFile(
    first?.ecosystem ?? "npm",
    dependencies.map(({ group = "production", ...dependency }) => ({ ...dependency, group })),
  );
  return { ...file, unparsed: [...file.unparsed, ...unparsed] };
}
