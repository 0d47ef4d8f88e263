import type { CallRecord } from "./call-record.ts";

/** The one log line of a model call; it holds no header, no body and no address. */
export function callLine(record: CallRecord) {
  return {
    request_id: record.requestId,
    operation: record.operation,
    status: record.status,
    error: record.errorCode,
    duration_ms: round(record.totalMs),
    upstream_ms: round(record.upstreamMs),
    first_byte_ms: record.firstByteMs === undefined ? undefined : round(record.firstByteMs),
    request_bytes: record.requestBytes,
    answer_bytes: record.answerBytes,
    attempts: record.attempts,
    aborted: record.isAborted,
    stream: record.isStream,
    lane: record.lane,
    route: record.route,
    model: record.model,
    key_id: record.keyId,
    account_id: record.accountId,
  };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
