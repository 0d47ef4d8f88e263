import type { JsonObject } from "@bufbuild/protobuf";
import { getRestEnumNames } from "../../contract/enum-spelling.ts";
import { EcosystemSchema } from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { formatRequirementLine } from "../../manifest/range-in-manifest.ts";
import {
  getManifestRangeEcosystem,
  hasThreeNumberVersion,
  buildEcosystemNameKey,
  type AuditPackageQuery,
} from "./package-query.ts";

/** One call assesses at most so many. */
const maxPageSize = 25;
/** Characters of the manifest of one call. */
const maxManifestLength = 60_000;
const emptyManifestLength = JSON.stringify({ dependencies: {} }).length;

/** Packages of one call: of one name only plain versions, so that each question has a row of its own. */
export interface AuditPackageQueryBatch {
  readonly questions: readonly AuditPackageQuery[];
  /** Fields of the request without its context. */
  readonly request: JsonObject;
}

/** How the service is told a range: in a manifest of the ecosystem, since a list has exact versions. */
type Form = "listed" | "npm" | "pypi" | "pypi_prereleases";

/** Spreads the questions over calls. */
export function splitIntoQueryPages(
  questions: readonly AuditPackageQuery[],
): AuditPackageQueryBatch[] {
  return roundsOf(questions).flatMap(pagesOfRound);
}

/**
 * Questions of one name that the service could answer with one row are in different rounds; plain
 * versions of any number are in the first.
 */
function roundsOf(
  questions: readonly AuditPackageQuery[],
): readonly (readonly AuditPackageQuery[])[] {
  const plain = questions.filter(hasThreeNumberVersion);
  const rounds = [plain];
  const nextRounds = new Map(plain.map((question) => [buildEcosystemNameKey(question), 1]));
  for (const question of questions) {
    if (hasThreeNumberVersion(question)) continue;
    const name = buildEcosystemNameKey(question);
    const round = nextRounds.get(name) ?? 0;
    nextRounds.set(name, round + 1);
    (rounds[round] ??= []).push(question);
  }
  return rounds;
}

/** A page has at most one manifest, behind whose ranges the list fills it up. */
function pagesOfRound(round: readonly AuditPackageQuery[]): AuditPackageQueryBatch[] {
  const listed = round.filter((question) => formOf(question) === "listed");
  const pages: AuditPackageQuery[][] = [];
  let taken = 0;
  for (const form of ["npm", "pypi", "pypi_prereleases"]) {
    for (const page of manifestPages(round.filter((question) => formOf(question) === form))) {
      const room = maxPageSize - page.length;
      // The rows of an answer begin with the list.
      pages.push([...listed.slice(taken, taken + room), ...page]);
      taken += room;
    }
  }
  for (; taken < listed.length; taken += maxPageSize) {
    pages.push(listed.slice(taken, taken + maxPageSize));
  }
  return pages.map((page) => ({ questions: page, request: requestOf(page) }));
}

/** Splits ranges into manifests that one call may have. */
function manifestPages(ranges: readonly AuditPackageQuery[]): AuditPackageQuery[][] {
  const pages: AuditPackageQuery[][] = [];
  let length = maxManifestLength;
  for (const range of ranges) {
    const page = pages.at(-1);
    // A control character is longer in JSON; a name and its range are quoted there, and have marks between them.
    const added = JSON.stringify([range.name, range.requested]).length;
    length += added;
    if (page === undefined || page.length === maxPageSize || length > maxManifestLength) {
      pages.push([range]);
      length = emptyManifestLength + added;
    } else page.push(range);
  }
  return pages;
}

function formOf(question: AuditPackageQuery): Form {
  const ecosystem = getManifestRangeEcosystem(question);
  const takesPrereleases = question.constraint === "range_with_prereleases";
  if (ecosystem === "pypi" && takesPrereleases) return "pypi_prereleases";
  return ecosystem ?? "listed";
}

function requestOf(questions: readonly AuditPackageQuery[]): JsonObject {
  const listed = questions.filter((question) => formOf(question) === "listed");
  const ranges = questions.filter((question) => formOf(question) !== "listed");
  const packages = listed.map(({ ecosystem, name, version }) => ({
    ecosystem: getRestEnumNames(EcosystemSchema).byName.get(ecosystem) ?? ecosystem,
    name,
    ...(version !== undefined && { version }),
  }));
  return { packages, ...manifestOf(ranges) };
}

function manifestOf(ranges: readonly AuditPackageQuery[]): JsonObject {
  const [first] = ranges;
  if (first === undefined) return {};
  if (formOf(first) === "npm") {
    const dependencies = Object.fromEntries(
      ranges.map(({ name, requested }) => [name, requested ?? ""]),
    );
    return {
      manifest: JSON.stringify({ dependencies }),
      manifest_kind: "MANIFEST_KIND_PACKAGE_JSON",
    };
  }
  const options = formOf(first) === "pypi_prereleases" ? ["--pre"] : [];
  const manifest = [...options, ...ranges.map(formatRequirementLine)].join("\n");
  return { manifest, manifest_kind: "MANIFEST_KIND_REQUIREMENTS_TXT" };
}
