import type { Answer } from "../call/answer.ts";
import { failureOf } from "../call/call-failure.ts";
import { dialHeaders, dialPath, type CallTarget } from "../dial/call-target.ts";
import type { ModelCall } from "../call/model-call.ts";
import { BodyRelay } from "./body-relay.ts";
import { chooseStages, type AnswerForms } from "./choose-stages.ts";
import { ErrorRelay } from "./error-relay.ts";
import { hideUsage } from "./hide-usage.ts";
import { keepResponse, type KeepResponse } from "./keep-response.ts";
import { noteResponse } from "./note-response.ts";
import type { AnswerHead, Outbound } from "../dial/outbound.ts";
import { ResponseInBody, ResponseInEvents } from "./response-finder.ts";
import { optional, pipe, type Link, type Stage } from "./stage.ts";
import { StreamRelay } from "./stream-relay.ts";
import { StreamWatch } from "./stream-watch.ts";
import { learnFromRefusal, type Learned } from "../transcode/learned-capabilities.ts";

/** A call whose upstream speaks the caller's dialect. */
export interface PassedCall {
  readonly call: ModelCall;
  readonly answer: Answer;
  readonly target: CallTarget;
  /** Behind the path, with its question mark; empty: none is passed on. */
  readonly query: string;
  /** The caller's bytes, but for the model id. */
  readonly body: Buffer;
  /** The id that the upstream knows. */
  readonly model: string;
  /** `body` without the option that its caller did not send; undefined: none was added. */
  readonly plain: Buffer | undefined;
  /** Keeps the answer for later calls; undefined: it is not kept here. */
  readonly keep: KeepResponse | undefined;
  /** Takes an answer that has not the form that was asked for. */
  readonly reshape: (head: AnswerHead) => Stage<Buffer>;
  /** What is dialled in the place of a call that was refused so; undefined: the refusal is the answer. Throws 400. */
  readonly instead: (status: number, refusal: string) => Outbound | undefined;
}

/** Passes the bytes of both directions on as they are. */
export function passThrough(passed: PassedCall): Outbound {
  const { call, target, query, body } = passed;
  return {
    target,
    path: dialPath(target, call.surface) + query,
    headers: dialHeaders(target, call.surface.dialect, call.headers),
    body,
    receive: (head) => chooseStages(head, formsOf(passed, head)),
  };
}

function formsOf(passed: PassedCall, head: AnswerHead): AnswerForms {
  const { call, answer, target, reshape } = passed;
  const { status, headers } = head;
  const { isStream } = call;
  return {
    answer,
    target,
    expectsStream: isStream,
    stream: (contentType) => (isStream ? streamStages(passed, head, contentType) : reshape(head)),
    body: (contentType) => (isStream ? reshape(head) : bodyStages(passed, head, contentType)),
    error: () =>
      new ErrorRelay(
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
  passed: PassedCall,
  { status }: AnswerHead,
  contentType: string,
): Stage<Buffer> {
  const { call, answer, target, keep, plain } = passed;
  const hidesUsage = plain !== undefined && call.surface.dialect === "dialect_chat";
  return pipe(
    optional(keep && keepResponse(new ResponseInEvents(), keep)),
    noting(passed),
    optional(hidesUsage ? hideUsage(answer) : undefined),
    new StreamRelay(answer, target, new StreamWatch(call.surface, status, contentType)),
  );
}

/** What an answer that is no stream goes through. */
function bodyStages(
  passed: PassedCall,
  { status, headers }: AnswerHead,
  contentType: string,
): Stage<Buffer> {
  const { call, answer, target, keep } = passed;
  return pipe(
    optional(keep && keepResponse(new ResponseInBody(), keep)),
    noting(passed),
    new BodyRelay(call, answer, target, status, contentType, headers["content-length"]),
  );
}

/** What is not kept here may be kept by the upstream. */
function noting({ call, answer, keep }: PassedCall): Link<Buffer, Buffer> {
  const isResponse = call.surface.dialect === "dialect_responses";
  return optional(isResponse && keep === undefined ? noteResponse(answer) : undefined);
}

/** True: the refusal was about the option that we added, and the call is made once more without. */
function dialsPlain(passed: PassedCall, head: AnswerHead, refusal: string): boolean {
  const { plain, target, model } = passed;
  if (plain === undefined || head.status !== 400) return false;
  if (learnFromRefusal(target, model, addedOption(passed), refusal) === undefined) return false;
  head.dialNext(passThrough({ ...passed, body: plain, plain: undefined }));
  return true;
}

/** True: something else is dialled, or cannot be, of which the caller hears. */
function dialsInstead({ answer, instead }: PassedCall, head: AnswerHead, refusal: string): boolean {
  try {
    const outbound = instead(head.status, refusal);
    if (outbound !== undefined) head.dialNext(outbound);
    return outbound !== undefined;
  } catch (error) {
    answer.fail(failureOf(error));
    return true;
  }
}

/** Chat is asked for its usage, responses for what was thought. */
function addedOption({ call }: PassedCall): Learned {
  const isChat = call.surface.dialect === "dialect_chat";
  return isChat ? { streamUsage: true } : { sealedThoughts: true };
}
