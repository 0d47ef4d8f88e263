import { setTimeout as delay } from "node:timers/promises";
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { packageEcosystems } from "../../platform/ecosystem.ts";
import { invokeMethod } from "../invoke-method.ts";
import { CliError } from "../cli-error.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import { filterJsonObjects } from "../tools/findings.ts";
import type { PackageQueryBatch } from "./query-pages.ts";
import { buildEcosystemNameKey, type PackageQuery } from "./package-query.ts";

/** A question, and the row that answers it; undefined: the service gave none. */
export interface PackageQueryResult {
  readonly query: PackageQuery;
  readonly row: JsonObject | undefined;
}

/** How often a call is made again that came too soon. */
const maxAttempts = 10;
/** Where the service does not say how long to wait. */
const defaultWaitSeconds = 5;

const { depsAudit } = DepshealthService.method;

/** Asks page by page and returns the answers in the order of the pages; `done` hears how many packages have been asked about. Rejects with a `CliError`. */
export async function fetchAuditQueryResults(
  pages: readonly PackageQueryBatch[],
  context: string,
  caller: CliProfileContext,
  done: (packages: number) => void,
): Promise<PackageQueryResult[]> {
  const answers: PackageQueryResult[] = [];
  for (const { questions, request } of pages) {
    const message = fromJson(depsAudit.input, { ...request, task_context: context });
    const report = await withRetry(() => invokeMethod(depsAudit, message, caller));
    for (const each of matchRowsToQueries(questions, filterJsonObjects(report["packages"])))
      answers.push(each);
    done(answers.length);
  }
  return answers;
}

/** A long audit may come too fast for the limits of the service, which says when to go on. */
async function withRetry(ask: () => Promise<JsonObject>): Promise<JsonObject> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isTooSoon = error instanceof CliError && error.code === "rate_limited";
      if (!isTooSoon || tries === maxAttempts) throw error;
      await delay((error.retryAfterSeconds || defaultWaitSeconds) * 1000);
    }
  }
}

/**
 * By name, and by version where the page has several of the name; a name that the registry spells
 * otherwise by its place. A name that the service gave more rows than were asked for has none.
 */
export function matchRowsToQueries(
  questions: readonly PackageQuery[],
  rows: readonly JsonObject[],
): PackageQueryResult[] {
  const isWhole = rows.length === questions.length;
  const byVersion = new Map(rows.map((row) => [versionKey(nameOf(row), row["requested"]), row]));
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  const repeated = repeatedNames(questions);
  const overfull = namesWithMoreRows(questions, rows);
  return questions.map((question, at) => {
    const name = buildEcosystemNameKey(question);
    if (overfull.has(name)) return { query: question, row: undefined };
    const row = repeated.has(name)
      ? byVersion.get(versionKey(name, question.version))
      : byName.get(name);
    return { query: question, row: row ?? (isWhole ? rows[at] : undefined) };
  });
}

/** Names with more rows than questions: a text made the service answer about another package. */
function namesWithMoreRows(
  questions: readonly PackageQuery[],
  rows: readonly JsonObject[],
): ReadonlySet<string | undefined> {
  const left = new Map<string | undefined, number>();
  for (const question of questions) {
    const name = buildEcosystemNameKey(question);
    left.set(name, (left.get(name) ?? 0) + 1);
  }
  for (const row of rows) left.set(nameOf(row), (left.get(nameOf(row)) ?? 0) - 1);
  return new Set([...left].filter(([, count]) => count < 0).map(([name]) => name));
}

function repeatedNames(questions: readonly PackageQuery[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const names = questions.map(buildEcosystemNameKey);
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

function nameOf(row: JsonObject): string | undefined {
  const ecosystem = packageEcosystems.find(
    (each) => each === readStringMemberOrEmpty(row, "ecosystem"),
  );
  return (
    ecosystem && buildEcosystemNameKey({ ecosystem, name: readStringMemberOrEmpty(row, "name") })
  );
}

function versionKey(name: string | undefined, version: JsonValue | undefined): string {
  return JSON.stringify([name, version]);
}
