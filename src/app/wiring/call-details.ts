import type { CallRecord } from "../../gateway/call/call-record.ts";
import { printedDuration } from "../../platform/speed/printed-milliseconds.ts";

/** What the one log line of a model call says beside the request: JSON members, each with a comma before it. */
export function callDetails(record: CallRecord): string {
  return (
    callerMembers(record) +
    `,"operation":"${record.operation}"` +
    targetMembers(record) +
    rareMembers(record) +
    `,"stream":${record.isStream},"attempts":${record.attempts}` +
    `,"upstream_ms":${printedDuration(record.upstreamMs)}` +
    (record.firstByteMs === undefined
      ? ""
      : `,"first_byte_ms":${printedDuration(record.firstByteMs)}`) +
    `,"request_bytes":${record.requestBytes},"answer_bytes":${record.answerBytes}`
  );
}

function callerMembers({ keyId, accountId }: CallRecord): string {
  return keyId === undefined
    ? ""
    : `,"principal":"key","account_id":"${accountId}","key_id":"${keyId}"`;
}

/** The model may hold any characters: it comes from the caller. */
function targetMembers({ lane, route, model }: CallRecord): string {
  return model === undefined
    ? ""
    : `,"lane":"${lane}","route_used":"${route}","model":${JSON.stringify(model)}`;
}

/** Most calls have none of them. */
function rareMembers({ skipped, tags, turnId }: CallRecord): string {
  return (
    (turnId === undefined ? "" : `,"turn":"${turnId}"`) +
    (skipped.length === 0 ? "" : `,"skipped":${JSON.stringify(skipped)}`) +
    (tags === undefined ? "" : `,"tags":${JSON.stringify(tags)}`)
  );
}
