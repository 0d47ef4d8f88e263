import type { ConformanceDialectName } from "./case-request.ts";
import { conformanceCases } from "./cases/all-cases.ts";
import { helloRequest } from "./cases/requests.ts";
import type { ConformanceCase } from "./cases/conformance-case.ts";
import type { ConformanceGatewayOptions } from "./http/gateway-client.ts";
import { ConformanceCaseSkippedError } from "./outcome.ts";
import { ConformanceClient } from "./dialect-client.ts";
import type { ConformanceCaseReport, ConformanceReport } from "./report.ts";
import { chatConformanceDialect } from "./dialect/chat/index.ts";
import { messagesConformanceDialect } from "./dialect/messages/index.ts";
import { responsesConformanceDialect } from "./dialect/responses/index.ts";

const conformanceDialects = {
  chat: chatConformanceDialect,
  responses: responsesConformanceDialect,
  messages: messagesConformanceDialect,
};

export const conformanceDialectNames = Object.keys(
  conformanceDialects,
) as readonly ConformanceDialectName[];

export interface ConformanceOptions {
  readonly gateway: ConformanceGatewayOptions;
  readonly model: string;
  readonly dialects: readonly ConformanceDialectName[];
  /** Only cases whose `dialect/name` has this in it; all unless given. */
  readonly only?: string | undefined;
  /** Hears of every case as it ends. */
  readonly onCase?: (report: ConformanceCaseReport) => void;
}

/**
 * Scores a gateway: each dialect on its own, its cases one after the other, so
 * that a gateway with strict limits can be scored, too. Never rejects because of
 * what the gateway does.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { gateway, model, dialects } = options;
  const lanes = dialects.map((dialect) => runDialect(dialect, options));
  const cases = (await Promise.all(lanes)).flat();
  const count = (outcome: ConformanceCaseReport["outcome"]): number =>
    cases.filter((report) => report.outcome === outcome).length;
  return {
    base_url: gateway.baseUrl.href,
    model,
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
    cases,
  };
}

async function runDialect(
  dialect: ConformanceDialectName,
  { gateway, model, only = "", onCase }: ConformanceOptions,
): Promise<readonly ConformanceCaseReport[]> {
  const probe = new ConformanceClient(conformanceDialects[dialect], gateway, model);
  const reports: ConformanceCaseReport[] = [];
  let whyNoModel: string | undefined;
  for (const item of casesOf(dialect, only)) {
    const report = await runCase(item, probe, item.needsModel ? whyNoModel : undefined);
    if (item.name === "hello-whole") whyNoModel = await noResponseReason(probe);
    reports.push(report);
    onCase?.(report);
  }
  return reports;
}

/** `hello-whole` always runs: without its answer, others say nothing. */
function casesOf(dialect: ConformanceDialectName, only: string): readonly ConformanceCase[] {
  return conformanceCases.filter(
    ({ name, dialects = conformanceDialectNames }) =>
      dialects.includes(dialect) && (name === "hello-whole" || `${dialect}/${name}`.includes(only)),
  );
}

/** Why cases that need a model cannot be run; undefined: they can. */
async function noResponseReason(probe: ConformanceClient): Promise<string | undefined> {
  try {
    const { status } = await probe.sendCase(helloRequest);
    return status === 200 ? undefined : `hello-whole was answered with ${status}`;
  } catch {
    return "hello-whole was not answered";
  }
}

async function runCase(
  { name, requirement: holds, run }: ConformanceCase,
  probe: ConformanceClient,
  whySkipped: string | undefined,
): Promise<ConformanceCaseReport> {
  const startedAt = performance.now();
  const report = (
    outcome: ConformanceCaseReport["outcome"],
    reason?: string,
  ): ConformanceCaseReport => ({
    dialect: probe.speech.name,
    name,
    holds,
    outcome,
    ...(reason !== undefined && { reason }),
    milliseconds: Math.round(performance.now() - startedAt),
  });
  if (whySkipped !== undefined) return report("skipped", whySkipped);
  try {
    await run(probe);
    return report("passed");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return report(error instanceof ConformanceCaseSkippedError ? "skipped" : "failed", reason);
  }
}
