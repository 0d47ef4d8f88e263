import type { DependencyFile } from "./dependency-file.ts";
import { DependencyCollector } from "./dependency-list.ts";
import type { PackageEcosystem } from "../platform/ecosystem.ts";
import { toExcerptWithDigest, type VersionConstraintKind } from "./manifest.ts";

/** What a manifest asks for, or why it is no package of the registry. */
export type DeclaredDependencyEntry = {
  readonly group: string;
  readonly line?: number | undefined;
  /** Hosts other than the public registry that it may come from, see `Origin`. */
  readonly hosts?: readonly string[];
  /** Hosts that it may come from as well, in one list for all entries. */
  readonly usualHosts?: readonly string[];
} & (
  | {
      readonly name: string;
      readonly requested: string | null;
      readonly version?: string;
      readonly constraint?: VersionConstraintKind;
      /** Set where another package asks for it, as far as the manifest tells. */
      readonly isTransitive?: boolean;
    }
  | {
      readonly text: string;
      readonly reason: string;
      readonly name?: string;
      /** Address of its repository, see `Origin`. */
      readonly address?: string;
      /** Verbatim; a path that leads from the manifest, or `workspace:`. */
      readonly requested?: string;
    }
);

/**
 * The packages of a manifest, in its order, each name and version once. `fileHosts` are hosts that
 * the manifest names, also where no entry comes from them.
 */
export function declaredEntriesToDependencyFile(
  ecosystem: PackageEcosystem,
  entries: readonly DeclaredDependencyEntry[],
  fileHosts?: readonly string[],
): DependencyFile {
  const list = new DependencyCollector();
  for (const entry of entries) {
    const line = entry.line === undefined ? {} : { line: entry.line };
    if ("reason" in entry) {
      const { text, reason, address, name, requested } = entry;
      const asks = {
        ...(name !== undefined && { name }),
        ...(requested !== undefined && { requested }),
        ...(address !== undefined && { address }),
      };
      const isInText = address === undefined || text.includes(address);
      list.reject({
        ...line,
        ...toExcerptWithDigest(isInText ? text : `${text} ${address}`),
        reason,
        ...asks,
      });
      // What it needs may come from there.
      list.countHosts(entry.usualHosts, entry.line, 0);
      list.countHosts(entry.hosts, entry.line, 0);
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
      list.countHosts(entry.usualHosts, entry.line);
      list.countHosts(entry.hosts, entry.line);
    }
  }
  list.countHosts(fileHosts, undefined, 0);
  return list.file();
}
