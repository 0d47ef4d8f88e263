import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { toCallFailure } from "../call/call-failure.ts";
import {
  buildUpstreamRequestHeaders,
  upstreamRequestPath,
  type ResolvedUpstream,
} from "../upstream/call-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { BodyUsageReader, StreamUsageReader } from "./exact-usage.ts";
import { JsonResponseBodyRelay, toTokenUsageFormat } from "./body-relay.ts";
import { chooseResponseStage, type ResponseStageFactories } from "./choose-response-handler.ts";
import { UpstreamErrorRelay } from "./error-relay.ts";
import { createUsageHidingStage } from "./hide-usage.ts";
import {
  createRelayedResponseStoringStage,
  type ResponseObjectRecorder,
} from "./store-response.ts";
import { createResponseIdRecordingStage } from "./capture-response-id.ts";
import type { UpstreamResponseHead, OutboundRequest } from "../upstream/outbound-request.ts";
import {
  BodyResponseObjectExtractor,
  EventStreamResponseObjectExtractor,
} from "./response-extractor.ts";
import {
  createOptionalStage,
  pipeStreamStages,
  type StreamStageFactory,
  type StreamStage,
} from "./stage.ts";
import { EventStreamRelay } from "./stream-relay.ts";
import { PassThroughStreamObserver } from "./stream-observer.ts";
import {
  learnCapabilitiesFromRefusal,
  rememberCapabilities,
  type LearnedCapabilities,
} from "../transcode/learned-capabilities.ts";

/** A call whose upstream speaks the caller's dialect. */
export interface PassThroughCall {
  readonly call: ModelCall;
  readonly response: CallerResponse;
  readonly target: ResolvedUpstream;
  /** Behind the path, with its question mark; empty: none is passed on. */
  readonly query: string;
  /** The caller's bytes, but for the model id. */
  readonly body: Buffer;
  /** The id that the upstream knows. */
  readonly model: string;
  /** `body` without the option that its caller did not send; undefined: none was added. */
  readonly isUnencoded: Buffer | undefined;
  /** Remembered if the upstream accepts this body: it refused the option that had been added. */
  readonly lesson?: LearnedCapabilities;
  /** It is paid from credits, so what it used is read exactly. */
  readonly isPaid: boolean;
  /** Keeps the answer for later calls; undefined: it is not kept here. */
  readonly storeResponse: ResponseObjectRecorder | undefined;
  /** Takes an answer that has not the form that was asked for. */
  readonly reshape: (head: UpstreamResponseHead) => StreamStage<Buffer>;
  /** What is dialled in the place of a call that was refused so; undefined: the refusal is the answer. Throws 400. */
  readonly replacementBody: (status: number, refusal: string) => OutboundRequest | undefined;
}

/** Passes the bytes of both directions on as they are. */
export function buildPassThroughRequest(passed: PassThroughCall): OutboundRequest {
  const { call, target, query, body, model, lesson } = passed;
  return {
    target,
    path: upstreamRequestPath(target, call.surface) + query,
    headers: buildUpstreamRequestHeaders(target, call.surface.dialect, call.headers),
    body,
    receive: (head) => {
      if (lesson !== undefined && head.status < 400) rememberCapabilities(target, model, lesson);
      return chooseResponseStage(head, formsOf(passed, head));
    },
  };
}

function formsOf(passed: PassThroughCall, head: UpstreamResponseHead): ResponseStageFactories {
  const { call, response: answer, target, reshape } = passed;
  const { status, headers } = head;
  const { isStream } = call;
  return {
    response: answer,
    target,
    expectsStream: isStream,
    stream: (contentType) => (isStream ? streamStages(passed, head, contentType) : reshape(head)),
    body: (contentType) => (isStream ? reshape(head) : bodyStages(passed, head, contentType)),
    error: () =>
      new UpstreamErrorRelay(
        answer,
        target,
        status,
        headers,
        (refusal) => dialsPlain(passed, head, refusal) || dialsInstead(passed, head, refusal),
      ),
  };
}

/** What a stream goes through to its caller. */
function streamStages(
  passed: PassThroughCall,
  { status }: UpstreamResponseHead,
  contentType: string,
): StreamStage<Buffer> {
  const { call, response: answer, target, storeResponse: keep, isUnencoded: plain } = passed;
  const { dialect } = call.surface;
  const exactUsage = passed.isPaid ? new StreamUsageReader(dialect) : undefined;
  const hidesUsage = plain !== undefined && dialect === "dialect_chat";
  return pipeStreamStages(
    createOptionalStage(
      keep &&
        createRelayedResponseStoringStage(
          new EventStreamResponseObjectExtractor(createUpstreamDataMemoryCounter(call.hold)),
          keep,
        ),
    ),
    noting(passed),
    createOptionalStage(hidesUsage ? createUsageHidingStage(answer) : undefined),
    new EventStreamRelay(
      answer,
      target,
      new PassThroughStreamObserver(call.surface, status, contentType, exactUsage),
    ),
  );
}

/** What an answer that is no stream goes through. */
function bodyStages(
  passed: PassThroughCall,
  { status, headers }: UpstreamResponseHead,
  contentType: string,
): StreamStage<Buffer> {
  const { call, response: answer, target, storeResponse: keep } = passed;
  const exactUsage = passed.isPaid
    ? new BodyUsageReader(toTokenUsageFormat(call.surface))
    : undefined;
  const length = headers["content-length"];
  return pipeStreamStages(
    createOptionalStage(
      keep &&
        createRelayedResponseStoringStage(
          new BodyResponseObjectExtractor(createUpstreamDataMemoryCounter(call.hold)),
          keep,
        ),
    ),
    noting(passed),
    new JsonResponseBodyRelay(call, answer, target, status, contentType, length, exactUsage),
  );
}

/** What is not kept here may be kept by the upstream. */
function noting({
  call,
  response: answer,
  storeResponse: keep,
}: PassThroughCall): StreamStageFactory<Buffer, Buffer> {
  const isResponse = call.surface.dialect === "dialect_responses";
  return createOptionalStage(
    isResponse && keep === undefined ? createResponseIdRecordingStage(answer) : undefined,
  );
}

/** True: the refusal was about the option that we added, and the call is made once more without. */
function dialsPlain(passed: PassThroughCall, head: UpstreamResponseHead, refusal: string): boolean {
  const { isUnencoded: plain } = passed;
  if (plain === undefined || head.status !== 400) return false;
  const lesson = learnCapabilitiesFromRefusal(addedOption(passed), refusal);
  if (lesson === undefined) return false;
  head.sendFollowUp(
    buildPassThroughRequest({ ...passed, body: plain, isUnencoded: undefined, lesson }),
  );
  return true;
}

/** True: something else is dialled, or cannot be, of which the caller hears. */
function dialsInstead(
  { response: answer, replacementBody: instead }: PassThroughCall,
  head: UpstreamResponseHead,
  refusal: string,
): boolean {
  try {
    const outbound = instead(head.status, refusal);
    if (outbound !== undefined) head.sendFollowUp(outbound);
    return outbound !== undefined;
  } catch (error) {
    answer.fail(toCallFailure(error));
    return true;
  }
}

/** Chat is asked for its usage, responses for what was thought. */
function addedOption({ call }: PassThroughCall): LearnedCapabilities {
  const isChat = call.surface.dialect === "dialect_chat";
  return isChat ? { streamUsage: true } : { encryptedReasoning: true };
}
