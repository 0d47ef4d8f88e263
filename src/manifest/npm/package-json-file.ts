import { declaredFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import type { ReadManifest } from "../manifest.ts";
import { readPackageJson } from "../package-json/read-package-json.ts";

/** Reads a package.json as the service does. */
export function readPackageJsonFile(text: string): DependencyFile {
  return ofManifest(readPackageJson(text));
}

/** What was read of a manifest, in the shape that all files have. */
export function ofManifest({ dependencies, unparsed }: ReadManifest): DependencyFile {
  const [first] = dependencies;
  const file = declaredFile(
    first?.ecosystem ?? "npm",
    dependencies.map(({ group = "production", ...dependency }) => ({ ...dependency, group })),
  );
  return { ...file, unparsed: [...file.unparsed, ...unparsed] };
}
