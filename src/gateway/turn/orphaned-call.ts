import type { DialectErrorCode } from "../../platform/errors.ts";
import type { OrphanedCallRecoveryRecord } from "../../domain/durable-turn.ts";
import type { CallLogEntry } from "../../domain/call-log-entry.ts";
import type { CallTokenUsage } from "../../domain/reservation.ts";

/** A model call whose process died, as it is kept: by what was noted before it was dialled, and what was told of it. */
export function buildOrphanedCallLogEntry(
  turn: { readonly id: string; readonly accountId: string; readonly keyId: string },
  intent: OrphanedCallRecoveryRecord,
  used: CallTokenUsage,
  now: number,
): CallLogEntry {
  const { callId, requestId, model, route, lane, tags, startedAt, reservation } = intent;
  const use = {
    inputTokens: used.input,
    cachedInputTokens: 0,
    outputTokens: used.output,
    isEstimated: true,
    raw: undefined,
  };
  return {
    id: callId,
    accountId: turn.accountId,
    keyId: turn.keyId,
    requestId,
    dialect: "responses",
    operation: "createResponse",
    model,
    target: model,
    route,
    lane,
    isStream: true,
    status: 499,
    errorCode: "interrupted" satisfies DialectErrorCode,
    attempts: [],
    skipped: [],
    warnings: [],
    endedAt: now,
    ms: now - startedAt,
    firstByteMs: undefined,
    tags,
    responseId: undefined,
    turn: turn.id,
    isRepeated: intent.isRepeated,
    use: reservation === undefined ? use : undefined,
  };
}
