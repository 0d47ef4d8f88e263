import { storableJson, storableUsage } from "../kernel/storable-json.ts";
import type { CallAttempt, KeptCall } from "../kernel/kept-call.ts";
import { tagMarks } from "./tag-marks.ts";

/**
 * A call as the JSON object that `insertCalls` reads; a member that is undefined is not
 * in it. As text, because rows wait to be written: an upstream's own usage object is
 * then as long as it may be, and no longer.
 */
export function callRow(call: KeptCall): string {
  const { tags, use, attempts, skipped, warnings } = call;
  const row = JSON.stringify({
    id: call.id,
    account_id: call.accountId,
    key_id: call.keyId,
    request_id: call.requestId,
    dialect: call.dialect,
    operation: call.operation,
    model: call.model,
    target: call.target,
    route: call.route,
    lane: call.lane,
    stream: call.isStream,
    status: call.status,
    error_code: call.errorCode,
    attempts: attempts.length === 0 ? undefined : attempts.map(attemptMembers),
    skipped: skipped.length === 0 ? undefined : skipped,
    warnings: warnings.length === 0 ? undefined : warnings,
    tags,
    tagged: tags && tagMarks(tags, call.accountId),
    response_id: call.responseId,
    turn: call.turn,
    repeated: call.isRepeated,
    ended: Math.round(call.endedAt),
    ms: Math.round(call.ms),
    first_byte_ms: call.firstByteMs && Math.round(call.firstByteMs),
    input: use?.inputTokens,
    cached: use?.cachedInputTokens,
    output: use?.outputTokens,
    estimated: use?.isEstimated,
  });
  const usage = (use && storableUsage(use.raw)) ?? null;
  return usage === null ? storableJson(row) : `${storableJson(row).slice(0, -1)},"usage":${usage}}`;
}

function attemptMembers({ target, status, failure, ms }: CallAttempt) {
  return { target, status, failure, ms: Math.round(ms) };
}
