import type { Ecosystem, PackageReference } from "../facts.ts";
import type {
  DependencyGroup,
  ManifestDependency,
  ParsedManifest,
  UnparsableManifestText,
  VersionConstraintKind,
} from "../../manifest/manifest.ts";
import { normalizePackageName } from "../../manifest/normalize-name.ts";
import { createVersionRangeSelector } from "../version-resolution/version-resolver.ts";

/** One call assesses at most so many. */
export const maxAssessedPackages = 25;

/** A package of an audit, as it was asked for. */
export interface RequestedAuditPackage {
  readonly reference: PackageReference;
  /** The version or range verbatim; null: none was asked for. */
  readonly requested: string | null;
  /** Kind of `requested` where several versions may fit it. */
  readonly constraint?: VersionConstraintKind;
  /** Undefined: it is on the explicit list, or the manifest has no groups. */
  readonly group?: DependencyGroup;
}

/** What an audit does: which packages it assesses, which it has no room for, what it could not read. */
export interface DependencyAuditPlan {
  readonly assessed: readonly RequestedAuditPackage[];
  readonly notAssessed: readonly RequestedAuditPackage[];
  readonly unparsed: readonly UnparsableManifestText[];
}

/** One package of an explicit list. */
export interface ExplicitlyListedPackage {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string | undefined;
}

/**
 * The explicit list first, then the manifest in its order; the same package and
 * version twice is one row, that of its first mention.
 */
export function planDependencyAudit(
  listed: readonly ExplicitlyListedPackage[],
  manifest: ParsedManifest | undefined,
): DependencyAuditPlan {
  const rows = new Map<string, RequestedAuditPackage>();
  const dependencies = manifest?.dependencies ?? [];
  for (const row of [...listed.map(ofList), ...dependencies.map(ofManifest)]) {
    const key = keyOf(row);
    if (!rows.has(key)) rows.set(key, row);
  }
  const ordered = [...rows.values()];
  return {
    assessed: ordered.slice(0, maxAssessedPackages),
    notAssessed: ordered.slice(maxAssessedPackages),
    unparsed: manifest?.unparsed ?? [],
  };
}

function ofList({ ecosystem, name, version }: ExplicitlyListedPackage): RequestedAuditPackage {
  const reference = { ecosystem, name, ...(version !== undefined && { version }) };
  return { reference, requested: version ?? null };
}

function ofManifest(dependency: ManifestDependency): RequestedAuditPackage {
  const { ecosystem, name, requested, version, constraint, group } = dependency;
  const select = createVersionRangeSelector(dependency);
  const reference = {
    ecosystem,
    name,
    ...(version !== undefined && { version }),
    ...(select !== undefined && { select }),
  };
  return {
    reference,
    requested,
    ...(constraint !== undefined && { constraint }),
    ...(group !== undefined && { group }),
  };
}

function keyOf({ reference, requested, constraint }: RequestedAuditPackage): string {
  const { ecosystem, name, version } = reference;
  const takesPrereleases = constraint === "range_with_prereleases";
  return JSON.stringify([
    ecosystem,
    normalizePackageName(ecosystem, name),
    version ?? requested,
    takesPrereleases,
  ]);
}
