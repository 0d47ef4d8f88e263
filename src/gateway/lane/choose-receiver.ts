import type { Answer } from "../answer.ts";
import type { DialTarget } from "../dial-target.ts";
import type { ModelCall } from "../model-call.ts";
import { BodyRelay } from "./body-relay.ts";
import { ErrorRelay } from "./error-relay.ts";
import { MalformedRelay } from "./malformed-relay.ts";
import type { AnswerHead } from "./outbound.ts";
import type { Receiver } from "./receiver.ts";
import { SniffRelay } from "./sniff-relay.ts";
import { StreamRelay } from "./stream-relay.ts";
import { WholeAnswerRelay } from "./whole-answer-relay.ts";

const openBrace = 0x7b;

/** First bytes of an event stream: of a byte-order mark, a comment, `data`, `event`, `id`, `retry`. */
const streamStarts: ReadonlySet<number | undefined> = new Set([0xef, ...Buffer.from(":deir")]);

const eventStream = "text/event-stream";

/** Content type of a stream whose upstream names none, or the wrong one. */
export const ownStreamType = `${eventStream}; charset=utf-8`;

/** An answer that has begun, and whose it is. */
export interface OwnedHead extends AnswerHead {
  readonly call: ModelCall;
  readonly answer: Answer;
  readonly target: DialTarget;
}

/** Chooses by the head of an answer what becomes of its body (dialects reference, 5.1). */
export function chooseReceiver(head: OwnedHead): Receiver {
  const { call, answer, target, status, headers } = head;
  if (status >= 400) return new ErrorRelay(answer, target, status, headers);
  if (status >= 300) return malformed(head, "answered with a redirect, which is never followed");
  if (isEncoded(headers["content-encoding"])) {
    return malformed(head, "compressed its answer although it was asked not to");
  }
  return call.isStream ? chooseStream(head) : chooseBody(head);
}

function chooseStream(head: OwnedHead): Receiver {
  const contentType = contentTypeOf(head);
  if (contentType.startsWith(eventStream)) return stream(head, contentType);
  return new SniffRelay((first) => {
    if (streamStarts.has(first)) return stream(head, ownStreamType);
    if (first === openBrace) return new WholeAnswerRelay(head.answer, head.target);
    return malformed(head, "did not answer with a stream of events");
  });
}

function chooseBody(head: OwnedHead): Receiver {
  const { answer, target, status, headers } = head;
  const contentType = contentTypeOf(head);
  if (contentType.startsWith(eventStream)) {
    return malformed(head, "answered with a stream although none was asked for");
  }
  const shownType = isJson(contentType) ? contentType : "application/json";
  return new BodyRelay(answer, target, status, shownType, headers["content-length"]);
}

function stream({ call, answer, target, status }: OwnedHead, contentType: string): Receiver {
  return new StreamRelay(call, answer, target, status, contentType);
}

function malformed({ answer, target }: OwnedHead, fault: string): Receiver {
  return new MalformedRelay(answer, target, fault);
}

function contentTypeOf({ headers }: OwnedHead): string {
  return headers["content-type"] ?? "";
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(contentType);
}

function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== "identity";
}
