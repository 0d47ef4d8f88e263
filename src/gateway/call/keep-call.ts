import type { Dialect } from "../../platform/configuration/configuration.ts";
import type { Clock } from "../../platform/clock.ts";
import type { UsedTokens } from "../../kernel/reservation.ts";
import type { CallDialect, CallKeeper, KeptCall, UnpaidUse } from "../../kernel/kept-call.ts";
import type { Loss } from "../../dialect/loss.ts";
import type { CallEnd } from "./call-end.ts";
import type { CallRecord } from "./call-record.ts";
import type { AdmittedCall, KnownCall } from "./model-call.ts";

/** Who keeps calls, and by which clock. */
export interface CallKeeping {
  readonly keeper: CallKeeper;
  readonly clock: Clock;
}

/** What callers speak, in the words of the log of calls. */
const spokenDialect: Readonly<Record<Dialect, CallDialect>> = {
  dialect_chat: "chat",
  dialect_responses: "responses",
  dialect_messages: "messages",
};

/**
 * Keeps a call that has ended, if it was let in; what it used too, where nobody pays for that
 * here. One that became a turn goes on: the calls that are made for the turn are kept.
 */
export function keepCall({ keeper, clock }: CallKeeping, end: CallEnd, record: CallRecord): void {
  const { call } = end;
  if (call.isQueued !== true && wasAdmitted(call))
    keeper.note(keptCallOf(call, end, record, clock.now()));
}

function wasAdmitted(call: KnownCall): call is KnownCall & AdmittedCall {
  return call.callId !== undefined;
}

function keptCallOf(
  call: KnownCall & AdmittedCall,
  { answer, dials, skipped, used }: CallEnd,
  record: CallRecord,
  endedAt: number,
): KeptCall {
  const { key, surface } = call;
  const { model, route } = record;
  return {
    id: call.callId,
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    requestId: record.requestId,
    dialect: spokenDialect[surface.dialect],
    operation: record.operation,
    model,
    target: dials?.status === undefined ? undefined : model,
    route,
    lane: record.lane,
    isStream: record.isStream,
    status: record.status,
    errorCode: record.errorCode,
    attempts: dials?.printAttempts() ?? [],
    skipped,
    warnings: answer.losses.map(printLoss),
    endedAt,
    ms: record.totalMs,
    firstByteMs: record.firstByteMs,
    tags: record.tags,
    responseId: route === "byo" ? answer.responseId : undefined,
    turn: undefined,
    isRepeated: false,
    use: route === "byo" && used !== undefined ? unpaidUse(used) : undefined,
  };
}

function printLoss({ path, action, reason }: Loss): string {
  return `${path};${action};${reason}`;
}

function unpaidUse(used: UsedTokens): UnpaidUse {
  const { input, cacheRead, cacheWrite, output, isEstimated, raw } = used;
  return {
    inputTokens: input + cacheRead + cacheWrite,
    cachedInputTokens: cacheRead,
    outputTokens: output,
    isEstimated,
    raw,
  };
}
