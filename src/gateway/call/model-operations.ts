import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import type { CallTokenUsage } from "../../domain/reservation.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import {
  type GenAiOperationRecord,
  type GenAiOperationTokens,
  otherErrorType,
} from "../../platform/telemetry/model-operation.ts";
import type { UpstreamAttempt } from "../upstream/attempt-trace.ts";
import type { CallableUpstream } from "../routing/plan.ts";
import type { CallOutcome } from "./call-outcome.ts";

/** `gen_ai.operation.name` (OpenTelemetry, Registry: gen_ai). */
const operationNames: Readonly<Record<DialectOperation["operation"], string>> = {
  createChatCompletion: "chat",
  createEmbedding: "embeddings",
  createResponse: "chat",
  compactResponse: "chat",
  createMessage: "chat",
};

/** Vendors that `gen_ai.provider.name` has another word for (OpenTelemetry, Registry: gen_ai). */
const providerNames = recordToMap({
  google: "gcp.gemini",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  xai: "x_ai",
});

/** What each target of a call was asked, in order. What was used and went wrong at the end is of the last. */
export function buildGenAiOperationRecords(end: CallOutcome): readonly GenAiOperationRecord[] {
  const { call, response: answer, attempts: dials, used } = end;
  if (dials === undefined) return [];
  const { operation, dialect } = call.surface;
  return dials.lastOfTargets().map((dial, at, all) => {
    const isLast = at === all.length - 1;
    const { plan, status, model, firstSentAt: askedAt, firstByteAt: heardAt, endedAt } = dial;
    return {
      name: operationNames[operation],
      provider: providerOf(plan.target),
      requestModel: plan.upstreamModel,
      responseModel: model,
      isStream: call.isStream ?? false,
      dialect,
      server:
        plan.target.kind === "custom" ? plan.target.endpoint.baseUrl : plan.target.vendor.baseUrl,
      startedAt: askedAt,
      firstChunkAt: heardAt === 0 ? undefined : heardAt,
      endedAt,
      status,
      errorType: errorOf(dial, !isLast || answer.errorCode !== undefined),
      tokens: isLast ? reportedTokens(used) : undefined,
    };
  });
}

/** Endpoints of accounts are named by nobody but their account. */
function providerOf(target: CallableUpstream): string {
  if (target.kind === "custom") return "custom";
  return providerNames.get(target.vendor.id) ?? target.vendor.id;
}

function errorOf({ failure, status = 0 }: UpstreamAttempt, hasFailed: boolean): string | undefined {
  if (failure !== undefined) return failure;
  if (status >= 400) return `${status}`;
  return hasFailed ? otherErrorType : undefined;
}

function reportedTokens(used: CallTokenUsage | undefined): GenAiOperationTokens | undefined {
  if (used === undefined || used.isEstimated) return undefined;
  const { input, cacheRead, cacheWrite, output } = used;
  return { input: input + cacheRead + cacheWrite, cacheRead, cacheWrite, output };
}
