import type { JsonObject } from "@bufbuild/protobuf";
import { enumSpelling } from "../../contract/enum-spelling.ts";
import { EcosystemSchema } from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import { sameName } from "../../manifest/same-name.ts";
import type { Question } from "./question.ts";

/** One call assesses at most so many. */
const mostOfPage = 25;

/** Packages of one call: no two of one name, so that each row finds its question. */
export interface QuestionPage {
  readonly questions: readonly Question[];
  /** Fields of the request without its context. */
  readonly request: JsonObject;
}

/** How the service is told a range: in a manifest of the ecosystem, since a list has exact versions. */
type Form = "listed" | "npm" | "pypi";

/** Spreads the questions over calls. */
export function pagesOf(questions: readonly Question[]): QuestionPage[] {
  const pages: QuestionPage[] = [];
  let left = questions;
  while (left.length > 0) {
    const taken = takePage(left);
    pages.push({ questions: inOrder(taken), request: requestOf(inOrder(taken)) });
    left = left.filter((question) => !taken.has(question));
  }
  return pages;
}

function takePage(questions: readonly Question[]): ReadonlySet<Question> {
  const taken = new Set<Question>();
  const names = new Set<string>();
  let manifest: Form | undefined;
  for (const question of questions) {
    if (taken.size === mostOfPage) break;
    const form = formOf(question);
    const name = `${question.ecosystem} ${sameName(question.ecosystem, question.name)}`;
    const isOther = form !== "listed" && manifest !== undefined && form !== manifest;
    if (isOther || names.has(name)) continue;
    if (form !== "listed") manifest = form;
    names.add(name);
    taken.add(question);
  }
  return taken;
}

/** The rows of an answer begin with the list. */
function inOrder(questions: ReadonlySet<Question>): Question[] {
  const all = [...questions];
  return [
    ...all.filter((question) => formOf(question) === "listed"),
    ...all.filter((question) => formOf(question) !== "listed"),
  ];
}

function formOf({ ecosystem, version, constraint }: Question): Form {
  if (version !== undefined || constraint === undefined) return "listed";
  return ecosystem === "npm" ? "npm" : "pypi";
}

function requestOf(questions: readonly Question[]): JsonObject {
  const listed = questions.filter((question) => formOf(question) === "listed");
  const ranges = questions.filter((question) => formOf(question) !== "listed");
  const packages = listed.map(({ ecosystem, name, version }) => ({
    ecosystem: enumSpelling(EcosystemSchema).byName.get(ecosystem) ?? ecosystem,
    name,
    ...(version !== undefined && { version }),
  }));
  return { packages, ...manifestOf(ranges) };
}

function manifestOf(ranges: readonly Question[]): JsonObject {
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
  const lines = ranges.map(({ name, requested }) => `${name}${requested ?? ""}`);
  return { manifest: lines.join("\n"), manifest_kind: "MANIFEST_KIND_REQUIREMENTS_TXT" };
}
