import type { UpstreamContext } from "../../dialect/codec.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { WarningCollector } from "../../dialect/conversion-warning.ts";
import type { RestoreInfo } from "../../dialect/restore-info.ts";
import { restoreToolCalls } from "../../dialect/restore-tool-calls.ts";
import { startSteps } from "../../dialect/step-machine.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import { EventReader } from "../../platform/sse/event-reader.ts";
import { holdPeak } from "../call/hold-peak.ts";
import { upstreamErrorInBody } from "../upstream/upstream-error.ts";
import {
  stageFromSteps,
  stageFromEach,
  optionalStage,
  pipeStages,
  tapStage,
  type Stage,
} from "../pass-through/stage.ts";
import { BodyWriter } from "./body-writer.ts";
import { continueEvents, type SentSoFar } from "./continuation.ts";
import { endAtStop } from "./end-at-stop.ts";
import { endResponse, type HasFollowUp, type ResponseProgress } from "./end-response.ts";
import { UpstreamResponseError, guardResponse } from "./guard-response.ts";
import { storeTranscodedResponse } from "./store-transcoded-response.ts";
import { cacheReasoning } from "./cache-reasoning.ts";
import { StreamWriter } from "./stream-writer.ts";
import { summarizeResponse } from "./summarize.ts";
import type { TranscodedCall } from "./transcoded-call.ts";
import type { TranscodeMeter } from "./transcode-meter.ts";
import { readWholeBody } from "./read-whole-body.ts";

/** The largest frame of a stream. */
const maxEventBytes = 16 * 1024 * 1024;

/** One dial of a transcoded call, as its answer is read. */
export interface TranscodeAttempt {
  readonly parts: TranscodedCall;
  /** What the encoder of its request renamed and wrapped. */
  readonly restoreInfo: RestoreInfo;
  /** What the caller has of earlier dials; undefined: this one begins the answer. */
  readonly sentBefore: SentSoFar | undefined;
  readonly meter: TranscodeMeter;
  readonly hasFollowUp: HasFollowUp;
  /** Takes the summary that this dial asks for, and seals it; undefined: it asks for an answer. */
  readonly takeSummary: ((summary: string) => string) | undefined;
  /** Of all dials. */
  readonly callerStages: Stage<readonly NeutralEvent[]>;
}

/** What a stream of an upstream goes through: pieces, events of the stream, neutral events. */
export function streamResponseStages(dialled: TranscodeAttempt): Stage<Buffer> {
  const { parts } = dialled;
  const state: ResponseProgress = { phase: "open" };
  return pipeStages(
    guardResponse(state, parts),
    stageFromSteps(new EventReader(maxEventBytes, holdPeak(parts.call.hold))),
    stageFromEach(
      parts.to.decodeStream({
        ...upstreamContext(parts),
        countKept: (kept) => dialled.meter.countKept(kept),
      }),
    ),
    turnStages(dialled, state),
  );
}

/** What an answer that is one object goes through: pieces, neutral events. */
export function bodyResponseStages(dialled: TranscodeAttempt): Stage<Buffer> {
  const { parts } = dialled;
  const state: ResponseProgress = { phase: "open" };
  return pipeStages(
    guardResponse(state, parts),
    stageFromSteps(readWholeBody((body) => decodeBody(parts, body), holdPeak(parts.call.hold))),
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
  }: TranscodeAttempt,
  state: ResponseProgress,
): Stage<readonly NeutralEvent[]> {
  return pipeStages(
    tapStage((event) => meter.count(event)),
    stageFromEach(startSteps(restoreToolCalls(recall, parts.context.id))),
    optionalStage(endAtStop(recall.stop)),
    optionalStage(before && stageFromEach(startSteps(continueEvents(before)))),
    pipeStages(
      tapStage((event: NeutralEvent) => meter.push(event)),
      optionalStage(takeSummary && summarizeResponse(takeSummary)),
      endResponse(state, parts, goesOn),
      callerStages,
    ),
  );
}

/** What the neutral events of all dials go through to their caller. */
export function callerStages({
  call,
  response: answer,
  from,
  context,
  storeResponse: keep,
  cacheReasoning: remember,
}: TranscodedCall): Stage<readonly NeutralEvent[]> {
  return pipeStages(
    optionalStage(remember && cacheReasoning(context.envelope, remember)),
    optionalStage(keep && storeTranscodedResponse(keep)),
    call.isStream
      ? new StreamWriter(answer, from.encodeStream(context), call.hold)
      : new BodyWriter(answer, (whole) => from.encodeResponse(whole, context)),
  );
}

function upstreamContext({ request: turn }: TranscodedCall): UpstreamContext {
  return { stop: turn.stop?.value ?? [] };
}

function decodeBody(parts: TranscodedCall, body: JsonObject): readonly NeutralEvent[] {
  if (isErrorObject(body)) {
    throw new UpstreamResponseError(upstreamErrorInBody(parts.target, JSON.stringify(body)));
  }
  const { to, response: answer } = parts;
  const lost = new WarningCollector();
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
