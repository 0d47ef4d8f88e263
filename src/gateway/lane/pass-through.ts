import type { Answer } from "../answer.ts";
import { dialHeaders, dialPath, type DialTarget } from "../dial-target.ts";
import type { ModelCall } from "../model-call.ts";
import { BodyRelay } from "./body-relay.ts";
import { chooseReceiver, type AnswerForms } from "./choose-receiver.ts";
import { HiddenUsage } from "./hidden-usage.ts";
import type { AnswerHead, Outbound } from "./outbound.ts";
import type { Receiver } from "./receiver.ts";
import { StreamRelay } from "./stream-relay.ts";

/** A call whose upstream speaks the caller's dialect. */
export interface PassedCall {
  readonly call: ModelCall;
  readonly answer: Answer;
  readonly target: DialTarget;
  /** The caller's bytes, but for the model id. */
  readonly body: Buffer;
  /** The caller of a chat stream did not ask for the usage that we need. */
  readonly hidesUsage: boolean;
  /** Takes an answer that has not the form that was asked for. */
  readonly reshape: (head: AnswerHead) => Receiver;
}

/** Passes the bytes of both directions on as they are. */
export function passThrough(passed: PassedCall): Outbound {
  const { call, target, body } = passed;
  return {
    target,
    path: dialPath(target, call.surface),
    headers: dialHeaders(target, call.surface.dialect, call.headers),
    body,
    receive: (head) => chooseReceiver(head, formsOf(passed, head)),
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
    stream: (contentType) => (isStream ? streamRelay(passed, status, contentType) : reshape(head)),
    body: (contentType) =>
      isStream
        ? reshape(head)
        : new BodyRelay(call, answer, target, status, contentType, headers["content-length"]),
  };
}

function streamRelay(
  { call, answer, target, hidesUsage }: PassedCall,
  status: number,
  contentType: string,
): Receiver {
  const relay = new StreamRelay(call, answer, target, status, contentType);
  return hidesUsage ? new HiddenUsage(relay, call) : relay;
}
