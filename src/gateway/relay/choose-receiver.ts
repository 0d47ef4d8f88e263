import type { Answer } from "../call/answer.ts";
import type { DialTarget } from "../dial/dial-target.ts";
import { ErrorRelay } from "./error-relay.ts";
import { MalformedRelay } from "./malformed-relay.ts";
import type { AnswerHead } from "../dial/outbound.ts";
import type { Receiver } from "./receiver.ts";
import { SniffRelay } from "./sniff-relay.ts";

const openBrace = 0x7b;

/** First bytes of an event stream: of a byte-order mark, a comment, `data`, `event`, `id`, `retry`. */
const streamStarts: ReadonlySet<number | undefined> = new Set([0xef, ...Buffer.from(":deir")]);

const eventStream = "text/event-stream";

/** Content type of a stream whose upstream names none, or the wrong one. */
export const ownStreamType = `${eventStream}; charset=utf-8`;

/** Makes the receiver of each form that an answer can have. */
export interface AnswerForms {
  readonly answer: Answer;
  readonly target: DialTarget;
  /** The form that the call asked for; the other one is looked for all the same. */
  readonly expectsStream: boolean;
  stream(contentType: string): Receiver;
  body(contentType: string): Receiver;
  /** An answer with a status of 400 and above. */
  error?(): Receiver;
}

/**
 * Chooses by the head of an answer, and by its first byte where the head does
 * not tell, what becomes of its body (dialects reference, 5.1).
 */
export function chooseReceiver(head: AnswerHead, forms: AnswerForms): Receiver {
  const { status, headers } = head;
  // Over HTTP/2 Node could not pass it on, and the caller would wait for ever.
  if (status > 599) return malformed(forms, `answered with ${status}, which is no HTTP status`);
  if (status >= 400) {
    return forms.error?.() ?? new ErrorRelay(forms.answer, forms.target, status, headers);
  }
  if (status >= 300) return malformed(forms, "answered with a redirect, which is never followed");
  if (isEncoded(headers["content-encoding"])) {
    return malformed(forms, "compressed its answer although it was asked not to");
  }
  const contentType = headers["content-type"] ?? "";
  if (contentType.startsWith(eventStream)) return forms.stream(contentType);
  if (!forms.expectsStream && isJson(contentType)) return forms.body(contentType);
  return sniff(forms);
}

/** The first byte of a body tells its form. */
function sniff(forms: AnswerForms): Receiver {
  return new SniffRelay((first) => {
    if (streamStarts.has(first)) return forms.stream(ownStreamType);
    if (first === openBrace) return forms.body("application/json");
    const form = forms.expectsStream ? "a stream of events" : "a JSON object";
    return malformed(forms, `did not answer with ${form}`);
  });
}

function malformed({ answer, target }: AnswerForms, fault: string): Receiver {
  return new MalformedRelay(answer, target, fault);
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(contentType);
}

function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== "identity";
}
