import { declaredEntriesToDependencyFile } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import type { ParsedManifest } from "../manifest.ts";
import { parsePackageJson } from "../package-json/read-package-json.ts";
import { readAdjacentPackageJsonWorkspaces } from "./npm-roots.ts";

/** Reads a package.json as the service does. */
export function parsePackageJsonFile(text: string): DependencyFile {
  return {
    ...packageJsonToDependencyFile(parsePackageJson(text)),
    members: readAdjacentPackageJsonWorkspaces(() => text),
  };
}

/** What was read of a manifest, in the shape that all files have. */
export function packageJsonToDependencyFile({
  dependencies,
  unparsed,
}: ParsedManifest): DependencyFile {
  const [first] = dependencies;
  const file = declaredEntriesToDependencyFile(
    first?.ecosystem ?? "npm",
    dependencies.map(({ group = "production", ...dependency }) => ({ ...dependency, group })),
  );
  return { ...file, unparsed: [...file.unparsed, ...unparsed] };
}
