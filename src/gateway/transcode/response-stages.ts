import type { ResponseDecodingContext } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { ConversionWarningCollector } from "../../dialect/conversion-warning.ts";
import type { ToolNameRestoreInfo } from "../../dialect/restore-info.ts";
import { createToolCallRestorer } from "../../dialect/restore-tool-calls.ts";
import { startStreamTransform } from "../../dialect/step-machine.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import { SseEventReader } from "../../platform/sse/event-reader.ts";
import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import { createOkStatusErrorFailure } from "../upstream/upstream-error.ts";
import {
  createTransformStage,
  createListTransformStage,
  createOptionalStage,
  pipeStreamStages,
  createTapStage,
  type StreamStage,
} from "../pass-through/stage.ts";
import { CallerJsonResponseWriter } from "./body-writer.ts";
import { createPauseContinuationTransformer, type SentResponseProgress } from "./continuation.ts";
import { createStopSequenceStage } from "./end-at-stop.ts";
import {
  createResponseEndCheckStage,
  type FollowUpAttemptPredicate,
  type AttemptResponseState,
} from "./end-response.ts";
import { UpstreamResponseError, createExceptionToFailureStage } from "./guard-response.ts";
import { createTranscodedResponseStoringStage } from "./store-transcoded-response.ts";
import { createReasoningCachingStage } from "./cache-reasoning.ts";
import { CallerEventStreamWriter } from "./stream-writer.ts";
import { createSummaryToCompactionStage } from "./summarize.ts";
import type { TranscodedCall } from "./transcoded-call.ts";
import type { TranscodedUsageMeter } from "./transcode-meter.ts";
import { createWholeBodyDecoder } from "./read-whole-body.ts";

/** The largest frame of a stream. */
const maxEventBytes = 16 * 1024 * 1024;

/** One dial of a transcoded call, as its answer is read. */
export interface TranscodedCallAttempt {
  readonly parts: TranscodedCall;
  /** What the encoder of its request renamed and wrapped. */
  readonly restoreInfo: ToolNameRestoreInfo;
  /** What the caller has of earlier dials; undefined: this one begins the answer. */
  readonly sentBefore: SentResponseProgress | undefined;
  readonly meter: TranscodedUsageMeter;
  readonly hasFollowUp: FollowUpAttemptPredicate;
  /** Takes the summary that this dial asks for, and seals it; undefined: it asks for an answer. */
  readonly takeSummary: ((summary: string) => string) | undefined;
  /** Of all dials. */
  readonly callerStages: StreamStage<readonly NeutralEvent[]>;
}

/** What a stream of an upstream goes through: pieces, events of the stream, neutral events. */
export function createStreamDecodingStage(dialled: TranscodedCallAttempt): StreamStage<Buffer> {
  const { parts } = dialled;
  const state: AttemptResponseState = { phase: "open" };
  return pipeStreamStages(
    createExceptionToFailureStage(state, parts),
    createTransformStage(
      new SseEventReader(maxEventBytes, createUpstreamDataMemoryCounter(parts.call.hold)),
    ),
    createListTransformStage(
      parts.to.decodeStream({
        ...upstreamContext(parts),
        countKept: (kept) => dialled.meter.countKept(kept),
      }),
    ),
    turnStages(dialled, state),
  );
}

/** What an answer that is one object goes through: pieces, neutral events. */
export function createJsonBodyDecodingStage(dialled: TranscodedCallAttempt): StreamStage<Buffer> {
  const { parts } = dialled;
  const state: AttemptResponseState = { phase: "open" };
  return pipeStreamStages(
    createExceptionToFailureStage(state, parts),
    createTransformStage(
      createWholeBodyDecoder(
        (body) => decodeBody(parts, body),
        createUpstreamDataMemoryCounter(parts.call.hold),
      ),
    ),
    turnStages(dialled, state),
  );
}

/** What the neutral events of one dial go through. */
function turnStages(
  {
    parts,
    restoreInfo: recall,
    sentBefore: before,
    meter,
    hasFollowUp: goesOn,
    takeSummary,
    callerStages,
  }: TranscodedCallAttempt,
  state: AttemptResponseState,
): StreamStage<readonly NeutralEvent[]> {
  return pipeStreamStages(
    createTapStage((event) => meter.count(event)),
    createListTransformStage(
      startStreamTransform(createToolCallRestorer(recall, parts.context.id)),
    ),
    createOptionalStage(createStopSequenceStage(recall.stop)),
    createOptionalStage(
      before &&
        createListTransformStage(startStreamTransform(createPauseContinuationTransformer(before))),
    ),
    pipeStreamStages(
      createTapStage((event: NeutralEvent) => meter.push(event)),
      createOptionalStage(takeSummary && createSummaryToCompactionStage(takeSummary)),
      createResponseEndCheckStage(state, parts, goesOn),
      callerStages,
    ),
  );
}

/** What the neutral events of all dials go through to their caller. */
export function createCallerResponseStage({
  call,
  response: answer,
  from,
  context,
  storeResponse: keep,
  cacheReasoning: remember,
}: TranscodedCall): StreamStage<readonly NeutralEvent[]> {
  return pipeStreamStages(
    createOptionalStage(remember && createReasoningCachingStage(context.envelope, remember)),
    createOptionalStage(
      call.isStream && keep ? createTranscodedResponseStoringStage(keep) : undefined,
    ),
    call.isStream
      ? new CallerEventStreamWriter(answer, from.encodeStream(context), call.hold)
      : new CallerJsonResponseWriter(answer, (whole) => from.encodeResponse(whole, context), keep),
  );
}

function upstreamContext({ request: turn }: TranscodedCall): ResponseDecodingContext {
  return { stop: turn.stop?.value ?? [] };
}

function decodeBody(parts: TranscodedCall, body: JsonObject): readonly NeutralEvent[] {
  if (isErrorObject(body)) {
    throw new UpstreamResponseError(createOkStatusErrorFailure(parts.target, JSON.stringify(body)));
  }
  const { to, response: answer } = parts;
  const lost = new ConversionWarningCollector();
  for (const path of to.lostInResponse(body)) lost.drop(path, "unsupported");
  answer.warnings = [...answer.warnings, ...lost.warnings];
  return to.decodeResponse(body, upstreamContext(parts));
}

/** An error in the place of an answer: `{"type": "error", …}`, or `{"error": …}` and no answer. */
function isErrorObject(body: JsonObject): boolean {
  const { error, type } = body;
  if (type === "error") return true;
  const isSaid = typeof error === "object" ? error !== null : typeof error === "string";
  return isSaid && !("choices" in body) && !("output" in body) && !("content" in body);
}
