import type { CallTelemetryRecord } from "../../gateway/call/call-telemetry.ts";
import { serializeMilliseconds } from "../../platform/speed/format-milliseconds.ts";

/** What the one log line of a model call says beside the request: JSON members, each with a comma before it. */
export function serializeCallAccessLogFields(record: CallTelemetryRecord): string {
  return (
    callerMembers(record) +
    `,"operation":"${record.operation}"` +
    targetMembers(record) +
    rareMembers(record) +
    `,"stream":${record.isStream},"attempts":${record.attempts}` +
    `,"upstream_ms":${serializeMilliseconds(record.upstreamMs)}` +
    (record.firstByteMs === undefined
      ? ""
      : `,"first_byte_ms":${serializeMilliseconds(record.firstByteMs)}`) +
    `,"request_bytes":${record.requestBytes},"answer_bytes":${record.responseBytes}`
  );
}

function callerMembers({ keyId, accountId }: CallTelemetryRecord): string {
  return keyId === undefined
    ? ""
    : `,"principal":"key","account_id":"${accountId}","key_id":"${keyId}"`;
}

/** The model may hold any characters: it comes from the caller. */
function targetMembers({ lane, route, model }: CallTelemetryRecord): string {
  return model === undefined
    ? ""
    : `,"lane":"${lane}","route_used":"${route}","model":${JSON.stringify(model)}`;
}

/** Most calls have none of them. */
function rareMembers({ skipped, tags, turnId }: CallTelemetryRecord): string {
  return (
    (turnId === undefined ? "" : `,"turn":"${turnId}"`) +
    (skipped.length === 0 ? "" : `,"skipped":${JSON.stringify(skipped)}`) +
    (tags === undefined ? "" : `,"tags":${JSON.stringify(tags)}`)
  );
}
