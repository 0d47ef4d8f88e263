import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import type { DialectError } from "../../dialect/dialect-error.ts";
import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import type { Loss } from "../../dialect/loss.ts";
import type { Usage } from "../../dialect/usage.ts";
import { rateLimitFields } from "../../platform/rate-limit/rate-limit-fields.ts";
import type { BucketReading } from "../../platform/rate-limit/request-buckets.ts";
import { serverSpanOf } from "../../platform/telemetry/server-spans.ts";
import type { ServerSpan } from "../../platform/telemetry/tracer.ts";
import type { AnswerMeter } from "./answer-meter.ts";
import type { CallFailure } from "./call-failure.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import type { CallRecord } from "./call-record.ts";
import type { KeyCalls } from "../admission/calls-under-way.ts";
import type { ControlHeaders } from "../admission/control-headers.ts";
import type { Plan } from "../routing/plan.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { Reservation } from "../../kernel/reservation.ts";
import { warningsHeader } from "../transcode/warnings-header.ts";

const recordedLane = { "pass-through": "pass_through", transcode: "transcode" } as const;

/** Address of the page that explains a code, or of its index for an error that is not ours. */
export type DocUrl = (code: ErrorCode | undefined) => string;

/** Money held for a call that runs. */
export interface Bill {
  readonly reservation: Reservation;
  readonly checkpoints: NodeJS.Timeout;
}

/** One model call: who calls, what was decided, and what it took. */
export class ModelCall {
  readonly requestId: string;
  readonly surface: DialectSurface;
  readonly #request: IncomingMessage;
  readonly #docUrl: DocUrl;
  /** `performance.now()` here and below. */
  readonly startedAt = performance.now();

  /** Set as the call is admitted. */
  key: CallerKey | undefined;
  bucket: BucketReading | undefined;
  bucketAt = 0;
  controls: ControlHeaders | undefined;

  /** Set as its body is read and its target found. */
  isStream = false;
  requestBytes = 0;
  plan: Plan | undefined;

  /** What transcoding lost on the way; the caller is told. */
  losses: readonly Loss[] = [];

  /** Set by the lane. */
  attempts = 0;
  /** As far as it is known; the upstream's own count. */
  usage: Usage | undefined;
  /** An object and no functions: those, made per call, keep finished calls until a full collection. */
  meter: AnswerMeter | undefined;
  /** An answer, or a part of one, has reached the caller. */
  hasAnswer = false;
  /** Its connection has closed, and the caller had everything before. */
  hasEnded = false;

  /** Set when it is paid from the wallet. */
  bill: Bill | undefined;
  /** Estimate of the prompt, where one was made. */
  promptTokens: number | undefined;
  dialledAt = 0;
  firstByteAt = 0;
  upstreamEndedAt = 0;
  errorCode: string | undefined;

  /** Where it is counted among the calls of its key. */
  #keyCalls: KeyCalls | undefined;
  #hasLeft = false;

  constructor(
    requestId: string,
    surface: DialectSurface,
    request: IncomingMessage,
    docUrl: DocUrl,
  ) {
    this.requestId = requestId;
    this.surface = surface;
    this.#request = request;
    this.#docUrl = docUrl;
  }

  /** Headers of the request. */
  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  /** Parent of the spans of its dials; undefined when nothing is traced. */
  get serverSpan(): ServerSpan | undefined {
    return serverSpanOf(this.#request);
  }

  /** Counts it among the calls of its key until it leaves. A caller may be gone before it is let in. */
  enter(calls: KeyCalls): void {
    if (this.#hasLeft) return;
    this.#keyCalls = calls;
    calls.count += 1;
    calls.all.count += 1;
  }

  /** The call has ended; only the first time tells. */
  leave(): void {
    this.#hasLeft = true;
    const calls = this.#keyCalls;
    if (calls === undefined) return;
    this.#keyCalls = undefined;
    calls.count -= 1;
    calls.all.count -= 1;
  }

  /** The headers that every answer to this call has: names and values in turn. */
  answerHeaders(): string[] {
    const headers = ["x-request-id", this.requestId, "request-id", this.requestId];
    if (this.bucket !== undefined) {
      for (const text of rateLimitFields(this.bucket)) headers.push(text);
      const own = this.surface.rateLimitHeaders(this.bucket, this.bucketAt);
      for (const text of own) headers.push(text);
    }
    if (this.plan !== undefined) headers.push("x-svc-route-used", this.plan.route);
    const warnings = warningsHeader(this.losses);
    if (warnings !== undefined) headers.push("x-svc-warnings", warnings);
    return headers;
  }

  /** A failure as the caller's dialect prints it; the record of the call keeps its code. */
  describe(failure: CallFailure): DialectError {
    this.errorCode = failure.code ?? "upstream_error";
    const docUrl = this.#docUrl(failure.catalogueCode);
    return { ...failure, docUrl, requestId: this.requestId };
  }

  /** What is known of the call once it has ended with `status` after `answerBytes`. */
  record(status: number, isAborted: boolean, answerBytes: number): CallRecord {
    const { plan, key, surface } = this;
    const now = performance.now();
    const { dialledAt } = this;
    return {
      requestId: this.requestId,
      operation: surface.operation,
      lane: plan && recordedLane[plan.lane],
      route: plan?.route,
      keyId: key?.principal.keyId,
      accountId: key?.principal.accountId,
      model: plan?.canonicalId,
      isStream: this.isStream,
      status: isAborted ? 499 : status,
      errorCode: this.errorCode,
      isAborted,
      attempts: this.attempts,
      requestBytes: this.requestBytes,
      answerBytes,
      totalMs: now - this.startedAt,
      upstreamMs: dialledAt === 0 ? 0 : (this.upstreamEndedAt || now) - dialledAt,
      firstByteMs: this.firstByteAt === 0 ? undefined : this.firstByteAt - dialledAt,
    };
  }
}
