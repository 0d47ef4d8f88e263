import { performance } from "node:perf_hooks";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import { mergeCallTagsPreferringKey, type CallTags } from "../../domain/call-tags.ts";
import type { SkippedTarget } from "../../domain/call-log-entry.ts";
import type { GenAiOperationRecord } from "../../platform/telemetry/model-operation.ts";
import type { CallOutcome } from "./call-outcome.ts";
import { buildGenAiOperationRecords } from "./model-operations.ts";

/** What is known of a model call when it has ended; no header and no body is in it. */
export interface CallTelemetryRecord {
  readonly requestId: string;
  readonly operation: DialectOperation["operation"];
  readonly lane: "pass_through" | "transcode" | undefined;
  readonly route: "byo" | "credits" | undefined;
  readonly keyId: string | undefined;
  readonly accountId: string | undefined;
  /** Canonical id; undefined when the call was refused before its model was known. */
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** HTTP status; 499: the caller hung up. */
  readonly status: number;
  /** Code of a refusal or failure, the event of a stream that failed included. */
  readonly errorCode: string | undefined;
  readonly isAborted: boolean;
  readonly attempts: number;
  /** Targets of an alias that were passed over. */
  readonly skipped: readonly SkippedTarget[];
  readonly tags: CallTags | undefined;
  /** The agent's turn that it has become; undefined: none. */
  readonly turnId: string | undefined;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Times in milliseconds. */
  readonly totalMs: number;
  readonly upstreamMs: number;
  /** From the dial to the first byte of the answer's body. */
  readonly firstByteMs: number | undefined;
  /** What each target was asked. */
  readonly operations: readonly GenAiOperationRecord[];
}

const recordedLane = { "pass-through": "pass_through", transcode: "transcode" } as const;

/** The record of a call that has ended just now. */
export function buildCallTelemetry(end: CallOutcome): CallTelemetryRecord {
  const { call, response: answer, attempts: dials, skipped } = end;
  const { plan, key } = call;
  const now = performance.now();
  const dialledAt = dials?.sentAt ?? 0;
  const firstByteAt = dials?.firstByteAt ?? 0;
  return {
    requestId: call.requestId,
    operation: call.surface.operation,
    lane: plan && recordedLane[plan.lane],
    route: plan?.route,
    keyId: key?.principal.keyId,
    accountId: key?.principal.accountId,
    model: plan?.canonicalId,
    isStream: call.isStream ?? false,
    status: answer.status,
    errorCode: answer.errorCode,
    isAborted: answer.isAborted,
    attempts: dials?.attempts ?? 0,
    skipped,
    tags: mergeCallTagsPreferringKey(call.controls?.tags, key?.tags),
    turnId: call.agent?.turnId,
    requestBytes: call.requestBytes ?? 0,
    responseBytes: answer.bytes,
    totalMs: now - call.startedAt,
    upstreamMs: dialledAt === 0 ? 0 : (dials?.endedAt || now) - dialledAt,
    firstByteMs: firstByteAt === 0 ? undefined : firstByteAt - dialledAt,
    operations: buildGenAiOperationRecords(end),
  };
}
