import { setTimeout as delay } from "node:timers/promises";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { DepshealthService } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { packageEcosystems } from "../../platform/ecosystem.ts";
import { invokeServerRpc } from "../invoke-method.ts";
import { CliError } from "../cli-error.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import { asProtobufJsonObjectElements } from "../tools/findings.ts";
import type { AuditPackageQueryBatch } from "./query-pages.ts";
import {
  buildEcosystemNameKey,
  getManifestRangeEcosystem,
  type AuditPackageQuery,
} from "./package-query.ts";

/** A question, and the row that answers it; undefined: the service gave none that fits. */
export interface AuditPackageQueryResult {
  readonly query: AuditPackageQuery;
  readonly row: JsonObject | undefined;
}

/** How often a call is made again that came too soon. */
const maxAttempts = 10;
/** Where the service does not say how long to wait. */
const defaultWaitSeconds = 5;

const { depsAudit } = DepshealthService.method;

/** Asks page by page and returns the answers in the order of the pages; `done` hears how many packages have been asked about. Rejects with a `CliError`. */
export async function fetchAuditQueryResults(
  pages: readonly AuditPackageQueryBatch[],
  context: string,
  caller: CliProfileContext,
  done: (packages: number) => void,
): Promise<AuditPackageQueryResult[]> {
  const answers: AuditPackageQueryResult[] = [];
  for (const { questions, request } of pages) {
    const message = fromJson(depsAudit.input, { ...request, task_context: context });
    const report = await withRetry(() => invokeServerRpc(depsAudit, message, caller));
    for (const each of matchAuditRowsToQueries(
      questions,
      asProtobufJsonObjectElements(report["packages"]),
    ))
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
 * Each question has the row at its own place, if that is about the package and version that were
 * asked for. Rows of any other number answer other questions.
 */
export function matchAuditRowsToQueries(
  questions: readonly AuditPackageQuery[],
  rows: readonly JsonObject[],
): AuditPackageQueryResult[] {
  const isWhole = rows.length === questions.length;
  return questions.map((query, at) => {
    const row = isWhole ? rows[at] : undefined;
    return { query, row: row !== undefined && isRowOf(query, row) ? row : undefined };
  });
}

function isRowOf(question: AuditPackageQuery, row: JsonObject): boolean {
  const ecosystem = packageEcosystems.find(
    (each) => each === readStringMemberOrEmpty(row, "ecosystem"),
  );
  if (ecosystem === undefined) return false;
  const name = readStringMemberOrEmpty(row, "name");
  return (
    buildEcosystemNameKey({ ecosystem, name }) === buildEcosystemNameKey(question) &&
    readStringMemberOrEmpty(row, "requested") === sentVersion(question)
  );
}

/** The version or range that was sent, as the service repeats it; empty: none. */
function sentVersion(question: AuditPackageQuery): string {
  const isRange = getManifestRangeEcosystem(question) !== undefined;
  return (isRange ? question.requested?.trim() : question.version) ?? "";
}
