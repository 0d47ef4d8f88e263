import type { FileDependency, Relation } from "../../manifest/dependency-file.ts";
import type { Ecosystem } from "../../platform/ecosystem.ts";
import type { VersionConstraint } from "../../manifest/manifest.ts";
import { sameName } from "../../manifest/same-name.ts";
import type { AuditFile, UnparsedPlace } from "./audit-file.ts";

/** Where a package is named, and how the project comes to it. */
export interface PackagePlace {
  readonly file: string;
  readonly line: number | undefined;
  readonly relation: Relation;
  readonly groups: readonly string[];
  readonly paths: readonly (readonly string[])[];
}

/** One package and version that the service is asked about. */
export interface Question {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly requested: string | null;
  readonly version: string | undefined;
  readonly constraint: VersionConstraint | undefined;
  readonly places: readonly PackagePlace[];
}

/** What is asked, the direct dependencies first, and what cannot be. */
export interface AuditQuestions {
  readonly questions: readonly Question[];
  readonly unparsed: readonly UnparsedPlace[];
}

/** Longer ones are refused by the service. */
const longest = { name: 200, version: 80, requested: 2000 };

/** Every package and version once, with all places that name it. */
export function questionsOf(files: readonly AuditFile[]): AuditQuestions {
  const questions = new Map<string, Question>();
  const unparsed = files.flatMap((file) => file.unparsed);
  for (const { path, dependencies } of files) {
    for (const dependency of dependencies) {
      const reason = refusal(dependency);
      if (reason === undefined) add(questions, dependency, path);
      else unparsed.push(unparsedPlace(dependency, path, reason));
    }
  }
  return { questions: [...questions.values()].toSorted(byRelation), unparsed };
}

function add(questions: Map<string, Question>, dependency: FileDependency, file: string): void {
  const { ecosystem, name, requested, version, constraint } = dependency;
  const { line, relation, groups, paths } = dependency;
  const key = JSON.stringify([ecosystem, sameName(ecosystem, name), version ?? [requested]]);
  const place = { file, line, relation, groups, paths };
  const places = [...(questions.get(key)?.places ?? []), place];
  questions.set(key, { ecosystem, name, requested, version, constraint, places });
}

function refusal({ name, version, requested }: FileDependency): string | undefined {
  if (name.trim() === "" || name.length > longest.name) return "invalid_name";
  if (version !== undefined && version.length > longest.version) {
    return "invalid_specifier: the version is too long";
  }
  const isLong = (requested ?? "").length > longest.requested;
  return isLong ? "invalid_specifier: it is too long" : undefined;
}

function unparsedPlace(
  { name, requested, line }: FileDependency,
  file: string,
  reason: string,
): UnparsedPlace {
  const text = `${name} ${requested ?? ""}`.trim().slice(0, 300);
  return { file, ...(line !== undefined && { line }), text, shown: undefined, reason };
}

/** The nearest of its places. */
export function relationOf({ places }: Pick<Question, "places">): Relation {
  const relations = new Set(places.map(({ relation }) => relation));
  return order.find((relation) => relations.has(relation)) ?? "unknown";
}

const order: readonly Relation[] = ["direct", "transitive", "unknown"];

function byRelation(left: Question, right: Question): number {
  return order.indexOf(relationOf(left)) - order.indexOf(relationOf(right));
}
