import type { RegistryAdvisories } from "../ecosystem/registry.ts";
import type { AdvisoryFacts } from "../facts.ts";
import {
  compareAdvisoriesBySeverity,
  mergeAdvisories,
  type AdvisoryPackageVersion,
} from "../source/merge-advisories.ts";
import type { AdvisoryLookupResult } from "../source/osv.ts";
import type { PackageWithRegistryResult } from "./subject.ts";

/**
 * Adds what a registry itself lists for a version and the advisory source does not
 * have: a mirror may leave advisories out, and the source may not have answered.
 * That a registry lists nothing is no news where the source was not heard.
 */
export function addRegistryAdvisories(
  reading: AdvisoryLookupResult | undefined,
  { records, evidence }: RegistryAdvisories,
  subject: AdvisoryPackageVersion,
): AdvisoryLookupResult | undefined {
  if (records === undefined) return reading;
  const heard = reading?.advisories ?? [];
  const known = new Set(heard.flatMap(({ id, aliases }) => [id, ...aliases]));
  const isNew = ({ id, aliases }: AdvisoryFacts) => ![id, ...aliases].some((it) => known.has(it));
  const further = mergeAdvisories(records, subject).advisories.filter(isNew);
  if (further.length === 0 && reading === undefined) return undefined;
  const isNobody = further.length === 0 && reading?.advisories === null;
  const witnessed = further.map((advisory) => ({ ...advisory, source: "registry" as const }));
  return {
    notices: reading?.notices ?? [],
    replacements: reading?.replacements ?? [],
    advisories: isNobody ? null : [...heard, ...witnessed].toSorted(compareAdvisoriesBySeverity),
    evidence: [...(reading?.evidence ?? []), ...evidence],
  };
}

/**
 * Makes an empty list unknown where it says nothing: about a name that its registry does not have,
 * or where only malware was asked for.
 */
export function treatEmptyAdvisoriesAsUnknown(
  { published, version }: Pick<PackageWithRegistryResult, "published" | "version">,
  result: AdvisoryLookupResult | undefined,
): AdvisoryLookupResult | undefined {
  const isKnown = published.existence !== "not_found" && version.version !== null;
  if (isKnown || result?.advisories?.length !== 0) return result;
  return { ...result, advisories: null };
}
