import type { DeclaredDependencyEntry } from "../declared-file.ts";
import { findNugetMinimumVersion } from "./nuget-version.ts";

/** Returns an entry for a package of NuGet; its name and version may have properties without a value. */
export function buildNugetPackageEntry(
  name: string,
  requested: string | null,
  at: { readonly group: string; readonly line: number | undefined },
): DeclaredDependencyEntry {
  if (/[$@%]\(|[*?;]/.test(name) || /[$@%]\(/.test(requested ?? "")) {
    const text = `${name} ${requested ?? ""}`;
    return { ...at, text, reason: "expression: a property has no value here" };
  }
  const version = requested === null ? undefined : findNugetMinimumVersion(requested);
  return { ...at, name, requested, ...(version !== undefined && { version }) };
}
