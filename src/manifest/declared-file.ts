import type { DependencyFile } from "./dependency-file.ts";
import { DependencyList } from "./dependency-list.ts";
import type { Ecosystem } from "../platform/ecosystem.ts";
import { show, type VersionConstraint } from "./manifest.ts";

/** What a manifest asks for, or why it is no package of the registry. */
export type DeclaredEntry = {
  readonly group: string;
  readonly line?: number | undefined;
} & (
  | {
      readonly name: string;
      readonly requested: string | null;
      readonly version?: string;
      readonly constraint?: VersionConstraint;
      /** Set where another package asks for it, as far as the manifest tells. */
      readonly isTransitive?: boolean;
    }
  | { readonly text: string; readonly reason: string }
);

/** The packages of a manifest, in its order, each name and version once. */
export function declaredFile(
  ecosystem: Ecosystem,
  entries: readonly DeclaredEntry[],
): DependencyFile {
  const list = new DependencyList();
  for (const entry of entries) {
    const line = entry.line === undefined ? {} : { line: entry.line };
    if ("reason" in entry) {
      list.reject({ ...line, text: show(entry.text), reason: entry.reason });
    } else {
      const { name, requested, version, constraint, isTransitive = false, group } = entry;
      list.add({
        ecosystem,
        name,
        requested,
        ...(version !== undefined && { version }),
        ...(constraint !== undefined && { constraint }),
        relation: isTransitive ? "transitive" : "direct",
        groups: [group],
        paths: isTransitive ? [] : [[name]],
        ...line,
      });
    }
  }
  return list.file();
}
