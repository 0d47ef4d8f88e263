import type { Ecosystem, PackageReference } from "../facts.ts";
import type {
  DependencyGroup,
  ManifestDependency,
  ReadManifest,
  UnparsedText,
} from "../../manifest/manifest.ts";
import { sameName } from "../../manifest/same-name.ts";
import { versionChoice } from "../choice/version-choice.ts";

/** One call assesses at most so many. */
export const mostAssessed = 25;

/** A package of an audit, as it was asked for. */
export interface AuditedPackage {
  readonly reference: PackageReference;
  /** The version or range verbatim; null: none was asked for. */
  readonly requested: string | null;
  /** Undefined: it is on the explicit list, or the manifest has no groups. */
  readonly group?: DependencyGroup;
}

/** What an audit does: which packages it assesses, which it has no room for, what it could not read. */
export interface AuditPlan {
  readonly assessed: readonly AuditedPackage[];
  readonly notAssessed: readonly AuditedPackage[];
  readonly unparsed: readonly UnparsedText[];
}

/** One package of an explicit list. */
export interface ListedPackage {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string | undefined;
}

/**
 * The explicit list first, then the manifest in its order; the same package and
 * version twice is one row, that of its first mention.
 */
export function planAudit(
  listed: readonly ListedPackage[],
  manifest: ReadManifest | undefined,
): AuditPlan {
  const rows = new Map<string, AuditedPackage>();
  const dependencies = manifest?.dependencies ?? [];
  for (const row of [...listed.map(ofList), ...dependencies.map(ofManifest)]) {
    const key = keyOf(row);
    if (!rows.has(key)) rows.set(key, row);
  }
  const ordered = [...rows.values()];
  return {
    assessed: ordered.slice(0, mostAssessed),
    notAssessed: ordered.slice(mostAssessed),
    unparsed: manifest?.unparsed ?? [],
  };
}

function ofList({ ecosystem, name, version }: ListedPackage): AuditedPackage {
  const reference = { ecosystem, name, ...(version !== undefined && { version }) };
  return { reference, requested: version ?? null };
}

function ofManifest(dependency: ManifestDependency): AuditedPackage {
  const { ecosystem, name, requested, version, group } = dependency;
  const select = versionChoice(dependency);
  const reference = {
    ecosystem,
    name,
    ...(version !== undefined && { version }),
    ...(select !== undefined && { select }),
  };
  return { reference, requested, ...(group !== undefined && { group }) };
}

function keyOf({ reference, requested }: AuditedPackage): string {
  const { ecosystem, name, version } = reference;
  return JSON.stringify([ecosystem, sameName(ecosystem, name), version ?? requested]);
}
