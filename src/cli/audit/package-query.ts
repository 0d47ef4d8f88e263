import { isStorableText } from "../../platform/database/storable-text.ts";
import type { FileDependency, DependencyRelation } from "../../manifest/dependency-file.ts";
import type { PackageEcosystem } from "../../platform/ecosystem.ts";
import {
  toExcerptWithDigest,
  toVersionRequestKey,
  type VersionConstraintKind,
} from "../../manifest/manifest.ts";
import { normalizePackageName } from "../../manifest/normalize-name.ts";
import {
  isManifestRangeParsedAsWritten,
  type WrittenPackageRange,
} from "../../manifest/range-in-manifest.ts";
import type { DependencyFileToAudit, UnparsableTextLocation } from "./audit-file.ts";

/** Where a package is named, and how the project comes to it. */
export interface DependencyOccurrence {
  readonly file: string;
  readonly line: number | undefined;
  readonly relation: DependencyRelation;
  readonly groups: readonly string[];
  readonly paths: readonly (readonly string[])[];
}

/** One package and version that the service is asked about. */
export interface AuditPackageQuery {
  readonly ecosystem: PackageEcosystem;
  readonly name: string;
  readonly requested: string | null;
  readonly version: string | undefined;
  readonly constraint: VersionConstraintKind | undefined;
  readonly locations: readonly DependencyOccurrence[];
}

/** What is asked, the direct dependencies first, and what cannot be. */
export interface AuditPackageQueries {
  readonly questions: readonly AuditPackageQuery[];
  readonly unparsed: readonly UnparsableTextLocation[];
}

/**
 * Questions of one name without a plain version that are asked; each costs a call of its own. No
 * project has as many ranges and unusual versions of one package.
 */
const maxSingles = 100;

/**
 * Questions of one audit: 1000 calls, which take about two minutes by the limits of the service.
 * A few poms can name each of a thousand packages in hundreds of versions.
 */
const maxQuestions = 25_000;

/** Longer ones are refused by the service. */
const maxLength = { name: 200, version: 80, requested: 2000 };

/**
 * Every package and version once, with all places that name it. Packages beyond `limit` questions
 * are counted as one unparsed text for each file.
 */
export function buildAuditPackageQueries(
  files: readonly DependencyFileToAudit[],
  limit: number = maxQuestions,
): AuditPackageQueries {
  const questions = new Map<string, OpenQuestion>();
  const singles = new Map<string, number>();
  const unparsed = files.flatMap((file) => file.unparsed);
  for (const { path, dependencies } of files) {
    let left = 0;
    for (const dependency of dependencies) {
      if (questions.size >= limit && !questions.has(keyOf(dependency))) {
        left += 1;
        continue;
      }
      const reason = rejectionReason(dependency) ?? add(questions, singles, dependency, path);
      if (reason !== undefined) unparsed.push(unparsedPlace(dependency, path, reason));
    }
    if (left > 0) unparsed.push(unaskedPart(path, left, limit));
  }
  return { questions: directFirst([...questions.values()]), unparsed };
}

/** A question that still gets places. */
interface OpenQuestion extends AuditPackageQuery {
  readonly locations: DependencyOccurrence[];
}

/** Returns why it is not asked, or undefined. */
function add(
  questions: Map<string, OpenQuestion>,
  singles: Map<string, number>,
  dependency: FileDependency,
  file: string,
): string | undefined {
  const { ecosystem, name, requested, version, constraint } = dependency;
  const { line, relation, groups, paths } = dependency;
  const key = keyOf(dependency);
  const place = { file, line, relation, groups, paths };
  const known = questions.get(key);
  if (known !== undefined) {
    known.locations.push(place);
    return undefined;
  }
  const question = { ecosystem, name, requested, version, constraint, locations: [place] };
  if (!hasThreeNumberVersion(question)) {
    const count = (singles.get(buildEcosystemNameKey(question)) ?? 0) + 1;
    if (count > maxSingles) {
      return `too_many: ${maxSingles.toString()} ranges and versions of it are asked about`;
    }
    singles.set(buildEcosystemNameKey(question), count);
  }
  questions.set(key, question);
  return undefined;
}

function keyOf(dependency: FileDependency): string {
  return JSON.stringify([buildEcosystemNameKey(dependency), toVersionRequestKey(dependency)]);
}

/** Equal for two spellings of one name. */
export function buildEcosystemNameKey({
  ecosystem,
  name,
}: Pick<AuditPackageQuery, "ecosystem" | "name">): string {
  return `${ecosystem} ${normalizePackageName(ecosystem, name)}`;
}

/**
 * Whether the version is three numbers. No two spellings of such a version exist, so the service
 * answers each of one name with a row of its own; what may be the same version has one row.
 */
export function hasThreeNumberVersion({ ecosystem, version }: AuditPackageQuery): boolean {
  if (version === undefined) return false;
  const isPrefixed = ecosystem === "go";
  return version.startsWith("v") === isPrefixed && plainVersionPattern.test(version);
}

const plainVersionPattern = /^v?(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/;

/** Returns the ecosystem in whose manifest a range is sent, or undefined for a package on the list of the request. */
export function getManifestRangeEcosystem({
  ecosystem,
  version,
  constraint,
}: {
  readonly ecosystem: PackageEcosystem;
  readonly version?: string | undefined;
  readonly constraint?: VersionConstraintKind | undefined;
}): WrittenPackageRange["ecosystem"] | undefined {
  if (version !== undefined || constraint === undefined) return undefined;
  return ecosystem === "npm" || ecosystem === "pypi" ? ecosystem : undefined;
}

function rejectionReason(dependency: FileDependency): string | undefined {
  const { name, version, requested } = dependency;
  if (name.trim() === "" || name.length > maxLength.name || !isStorableText(name))
    return "invalid_name";
  if (/\p{Cc}/u.test(name)) return "invalid_name: it holds a control character";
  if (!isStorableText(version ?? "") || !isStorableText(requested ?? "")) {
    return "invalid_specifier: it holds a NUL character or half a surrogate pair";
  }
  if (version !== undefined && version.length > maxLength.version) {
    return "invalid_specifier: the version is too long";
  }
  if (/\p{Cc}/u.test(version ?? "")) {
    return "invalid_specifier: the version holds a control character";
  }
  if ((requested ?? "").length > maxLength.requested) return "invalid_specifier: it is too long";
  // A manifest is sent, and one with another meaning would ask about other packages.
  const ecosystem = getManifestRangeEcosystem(dependency);
  if (ecosystem === undefined || isManifestRangeParsedAsWritten({ ecosystem, name, requested })) {
    return undefined;
  }
  return "invalid_specifier: the package has no such range";
}

function unparsedPlace(
  { name, requested, line }: FileDependency,
  file: string,
  reason: string,
): UnparsableTextLocation {
  const part = toExcerptWithDigest(`${name} ${requested ?? ""}`);
  return { file, ...(line !== undefined && { line }), ...part, shown: undefined, reason };
}

function unaskedPart(file: string, packages: number, limit: number): UnparsableTextLocation {
  const reason = `too_many: ${packages.toString()} packages of it are not assessed, because one audit asks about ${limit.toString()}`;
  return { file, ...toExcerptWithDigest(file), shown: file, reason };
}

/** The nearest of its places. */
export function closestDependencyRelation({
  locations: places,
}: Pick<AuditPackageQuery, "locations">): DependencyRelation {
  const relations = new Set(places.map(({ relation }) => relation));
  return order.find((relation) => relations.has(relation)) ?? "unknown";
}

const order: readonly DependencyRelation[] = ["direct", "transitive", "unknown"];

function directFirst(questions: readonly AuditPackageQuery[]): AuditPackageQuery[] {
  const related = questions.map((question) => ({
    question,
    relation: closestDependencyRelation(question),
  }));
  return order.flatMap((each) =>
    related.filter(({ relation }) => relation === each).map(({ question }) => question),
  );
}
