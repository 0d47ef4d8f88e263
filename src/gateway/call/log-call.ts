import type { DialectId } from "../../platform/configuration/configuration.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CallTokenUsage } from "../../domain/reservation.ts";
import type {
  CallDialect,
  CallLogRecorder,
  CallLogEntry,
  ByoCallUsage,
} from "../../domain/call-log-entry.ts";
import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import type { CallOutcome } from "./call-outcome.ts";
import type { CallTelemetryRecord } from "./call-telemetry.ts";
import type { HeaderAdmittedCall, PartiallyRoutedCall } from "./model-call.ts";

/** Who keeps calls, and by which clock. */
export interface CallLoggingDependencies {
  readonly recorder: CallLogRecorder;
  readonly clock: Clock;
}

/** What callers speak, in the words of the log of calls. */
const callerDialect: Readonly<Record<DialectId, CallDialect>> = {
  dialect_chat: "chat",
  dialect_responses: "responses",
  dialect_messages: "messages",
};

/**
 * Keeps a call that has ended, if it was let in; what it used too, where nobody pays for that
 * here. One that became a turn goes on: the calls that are made for the turn are kept.
 */
export function recordCallLogEntry(
  { recorder: keeper, clock }: CallLoggingDependencies,
  end: CallOutcome,
  record: CallTelemetryRecord,
): void {
  const { call } = end;
  if (call.isQueued !== true && wasAdmitted(call))
    keeper.record(callLogEntryOf(call, end, record, clock.now()));
}

function wasAdmitted(call: PartiallyRoutedCall): call is PartiallyRoutedCall & HeaderAdmittedCall {
  return call.callId !== undefined;
}

function callLogEntryOf(
  call: PartiallyRoutedCall & HeaderAdmittedCall,
  { response: answer, attempts: dials, skipped, used }: CallOutcome,
  record: CallTelemetryRecord,
  endedAt: number,
): CallLogEntry {
  const { key, surface } = call;
  const { model, route } = record;
  return {
    id: call.callId,
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    requestId: record.requestId,
    dialect: callerDialect[surface.dialect],
    operation: record.operation,
    model,
    target: dials?.status === undefined ? undefined : model,
    route,
    lane: record.lane,
    isStream: record.isStream,
    status: record.status,
    errorCode: answer.shownErrorCode ?? record.errorCode,
    attempts: dials?.toCallAttempts() ?? [],
    skipped,
    warnings: answer.warnings.map(serializeLoss),
    endedAt,
    ms: record.totalMs,
    firstByteMs: record.firstByteMs,
    tags: record.tags,
    responseId: route === "byo" ? answer.responseId : undefined,
    turn: undefined,
    isRepeated: false,
    use: route === "byo" && used !== undefined ? unbilledUsage(used) : undefined,
  };
}

function serializeLoss({ path, action, reason }: ConversionWarning): string {
  return `${path};${action};${reason}`;
}

function unbilledUsage(used: CallTokenUsage): ByoCallUsage {
  const { input, cacheRead, cacheWrite, output, isEstimated, raw } = used;
  return {
    inputTokens: input + cacheRead + cacheWrite,
    cachedInputTokens: cacheRead,
    outputTokens: output,
    isEstimated,
    raw,
  };
}
