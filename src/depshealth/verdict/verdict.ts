import type { PackageInfo } from "../facts.ts";
import type { MaintenanceVerdictThresholds } from "./thresholds.ts";

export type MaintenanceVerdict = "deprecated" | "archived" | "stale" | "active" | "unknown";

/** Stable names of the rules; they are public, so a name is never changed. */
export const verdictReasonCodes = [
  "not_found",
  "removed_by_registry",
  "version_not_found",
  "deprecated_package",
  "deprecated_version",
  "all_releases_withdrawn",
  "rustsec_unmaintained",
  "product_eol",
  "curated",
  "repository_archived",
  "inactive_classifier",
  "no_recent_activity",
  "no_recent_release",
  "recent_release",
  "recent_push",
  "evidence_missing",
  // Qualifiers: they never decide.
  "cycle_eol",
  "version_withdrawn",
  "malicious_version",
  "repository_link_suspect",
  "finished_candidate",
  "curated_note",
  "source_failed",
  "advisory_by_registry",
  "new_package",
  "did_you_mean",
  "install_script",
  "advisories_incomplete",
] as const;

export type VerdictReasonCode = (typeof verdictReasonCodes)[number];

/** A rule that fired, and what it saw, in one sentence. */
export interface VerdictReason {
  readonly code: VerdictReasonCode;
  readonly message: string;
}

/** What an end-of-life dataset says of a package's versions; see `eol/package-support.ts`. */
export interface PackageEolSupport {
  /** What the dataset calls the product. */
  readonly label: string;
  /** Whether every stable version belongs to a cycle whose end of life has passed, by its date. */
  readonly allEnded: boolean;
  /** The cycle of the assessed version, if it has ended. */
  readonly endedCycle: { readonly name: string; readonly endedOn: string | null } | undefined;
}

/** What somebody has written down about a package; see `curated/`. */
export interface CuratedPackageStatement {
  /** `deprecated`: its maintainers say so where no registry can carry it. `note`: worth knowing, no verdict. */
  readonly kind: "deprecated" | "note";
  /** What they say, one sentence in our words. */
  readonly statement: string;
  /** Where they say it. */
  readonly source: string;
  /** What they recommend. */
  readonly replacement?: string;
}

/** Everything that a verdict is made of. */
export interface MaintenanceVerdictInput {
  readonly info: PackageInfo;
  readonly support: PackageEolSupport | undefined;
  readonly curated: CuratedPackageStatement | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly thresholds: MaintenanceVerdictThresholds;
}

export interface PackageReplacement {
  readonly name: string;
  readonly source: "registry" | "advisory" | "curated";
  /** Its latest version; null: not known. */
  readonly version: string | null;
}

export interface MaintenanceVerdictResult {
  readonly verdict: MaintenanceVerdict;
  /** The deciding one first, then every other that fired. */
  readonly reasons: readonly [VerdictReason, ...VerdictReason[]];
  readonly replacement: PackageReplacement | undefined;
}
