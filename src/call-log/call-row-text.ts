import { toStorableJsonText } from "../platform/database/storable-text.ts";
import { serializeRawUsageOrNull } from "../domain/storable-usage.ts";
import type { CallAttempt, CallLogEntry } from "../domain/call-log-entry.ts";
import { buildCallTagSearchKeys } from "./tag-search-keys.ts";

/** What stands in a line, in this order, and what PostgreSQL takes it for. */
export const callLogInsertColumns = [
  ["id", "text"],
  ["account_id", "text"],
  ["key_id", "text"],
  ["request_id", "text"],
  ["dialect", "text"],
  ["operation", "text"],
  ["model", "text"],
  ["target", "text"],
  ["route", "text"],
  ["lane", "text"],
  ["stream", "boolean"],
  ["status", "integer"],
  ["error_code", "text"],
  ["dial_ms", "integer"],
  ["attempts", "jsonb"],
  ["skipped", "jsonb"],
  ["warnings", "jsonb"],
  ["tags", "jsonb"],
  ["tagged", "text[]"],
  ["response_id", "text"],
  ["turn", "text"],
  ["repeated", "boolean"],
  ["ended", "double precision"],
  ["ms", "integer"],
  ["first_byte_ms", "integer"],
  ["input", "bigint"],
  ["cached", "bigint"],
  ["output", "bigint"],
  ["estimated", "boolean"],
  ["usage", "jsonb"],
] as const;

/** Stands between the values of a line. */
export const callLogInsertFieldSeparator = "\t";

/**
 * A call as the line that `insertCalls` reads: its values in the order of `callLogInsertColumns`,
 * nothing for what is not there. As text, because calls wait to be written: an upstream's
 * own usage object is then as long as it may be, and no longer. As lines, and not as JSON
 * objects, a call takes the database a quarter less: docs/performance.md.
 */
export function serializeCallLogLine(call: CallLogEntry): string {
  const { tags, use, firstByteMs } = call;
  const onlyDial = singleAttemptOf(call);
  const model = oneLine(call.model);
  return [
    call.id,
    call.accountId,
    call.keyId,
    call.requestId,
    call.dialect,
    call.operation,
    model,
    call.target === call.model ? model : oneLine(call.target),
    call.route,
    call.lane,
    call.isStream,
    call.status,
    oneLine(call.errorCode),
    onlyDial && Math.round(onlyDial.ms),
    onlyDial ? undefined : serializeList(call.attempts.map(attemptMembers)),
    serializeList(call.skipped),
    serializeList(call.warnings),
    tags && JSON.stringify(tags),
    tags && serializeArray(buildCallTagSearchKeys(tags, call.accountId)),
    oneLine(call.responseId),
    call.turn,
    call.isRepeated,
    Math.round(call.endedAt),
    Math.round(call.ms),
    firstByteMs && Math.round(firstByteMs),
    use?.inputTokens,
    use?.cachedInputTokens,
    use?.outputTokens,
    use?.isEstimated,
    use && serializeRawUsageOrNull(use.raw),
  ].join(callLogInsertFieldSeparator);
}

/** Below the space, code by code. */
const controls = /[^ -\uffff]/g;

/** A text that a caller or an upstream wrote, where it is no JSON, which has no controls. */
function oneLine(text: string | undefined): string | undefined {
  return text?.replace(controls, "\ufffd");
}

/**
 * The dial of a call that made one, which its target answered: all but its time stands in
 * the call. Nearly every call is one of these, and JSON would be the longest value of its row.
 */
function singleAttemptOf({ attempts, target, status }: CallLogEntry): CallAttempt | undefined {
  const [dial] = attempts;
  const isAll = attempts.length === 1 && dial?.target === target && dial?.status === status;
  return isAll && dial?.failure === undefined ? dial : undefined;
}

function attemptMembers({ target, status, failure, ms }: CallAttempt) {
  return { target, status, failure, ms: Math.round(ms) };
}

function serializeList(list: readonly unknown[]): string | undefined {
  return list.length === 0 ? undefined : toStorableJsonText(JSON.stringify(list));
}

/** An array of PostgreSQL, whose texts are quoted as those of JSON are where all is visible ASCII. */
function serializeArray(texts: readonly string[]): string {
  return `{${JSON.stringify(texts).slice(1, -1)}}`;
}
