import type { PackageInfo, PackageVersionFacts } from "../../../src/depshealth/facts.ts";
import { decideMaintenanceVerdict } from "../../../src/depshealth/verdict/decide-verdict.ts";
import { defaultMaintenanceVerdictThresholds } from "../../../src/depshealth/verdict/thresholds.ts";
import type {
  MaintenanceVerdictInput,
  MaintenanceVerdictResult,
} from "../../../src/depshealth/verdict/verdict.ts";

export const now = Date.parse("2026-11-20T12:00:00.000Z");

export function daysAgo(days: number): number {
  return now - days * 86_400_000;
}

/** A healthy npm package that every source has told about. */
export function known(changes: Partial<PackageInfo> = {}): PackageInfo {
  return {
    ecosystem: "npm",
    name: "left",
    purl: "pkg:npm/left",
    existence: "found",
    versions: [version("2.0.0", { releasedAt: daysAgo(10) }), version("1.0.0")],
    version: "2.0.0",
    versionFound: null,
    latestVersion: "2.0.0",
    latestReleasedAt: daysAgo(10),
    latestYanked: false,
    newestReleaseAt: daysAgo(10),
    repository: repository(),
    maintainersCount: 2,
    dependentsCount: 12,
    license: null,
    advisories: [],
    notices: [],
    replacements: [],
    evidence: [evidence("npm", "metadata"), evidence("github", "repository")],
    ...changes,
  };
}

export function version(
  text: string,
  changes: Partial<PackageVersionFacts> = {},
): PackageVersionFacts {
  return { version: text, stable: true, releasedAt: daysAgo(800), ...changes };
}

export function repository(
  changes: Partial<NonNullable<PackageInfo["repository"]>> = {},
): NonNullable<PackageInfo["repository"]> {
  return {
    url: "https://git.example/acme/left",
    host: "git.example",
    owner: "acme",
    name: "left",
    directory: null,
    archived: false,
    lastPushAt: daysAgo(5),
    ...changes,
  };
}

export function evidence(
  source: string,
  kind: PackageInfo["evidence"][number]["kind"],
  ok = true,
): PackageInfo["evidence"][number] {
  return { source, kind, ok, observedAt: now, ...(!ok && { error: "It did not answer." }) };
}

/** Released and pushed to so many days ago. */
export function aged(releaseDays: number | null, pushDays: number | null): Partial<PackageInfo> {
  const time = (days: number | null) => (days === null ? null : daysAgo(days));
  return {
    newestReleaseAt: time(releaseDays),
    latestReleasedAt: time(releaseDays),
    repository: repository({ lastPushAt: time(pushDays) }),
  };
}

export function judged(
  changes: Partial<PackageInfo> = {},
  further: Partial<Pick<MaintenanceVerdictInput, "support" | "curated" | "now">> = {},
): MaintenanceVerdictResult {
  return decideMaintenanceVerdict({
    info: known(changes),
    support: undefined,
    curated: undefined,
    now,
    thresholds: defaultMaintenanceVerdictThresholds,
    ...further,
  });
}
