import { defaultEventStreamContentType, type CallerResponse } from "../call/caller-response.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createCallFailure } from "../call/call-failure.ts";
import type { UpstreamResponseHead } from "../upstream/outbound-request.ts";
import { isSuccessBodyStatus } from "../upstream/upstream-status.ts";
import { ContentSniffingStage } from "./sniff-relay.ts";
import { discardingStage, type StreamStage } from "./stage.ts";

const openBrace = 0x7b;

/** First bytes of an event stream: of a byte-order mark, a comment, `data`, `event`, `id`, `retry`. */
const streamStarts: ReadonlySet<number | undefined> = new Set([0xef, ...Buffer.from(":deir")]);

/** Content type of a stream of events. */
export const eventStreamMediaType = "text/event-stream";

/** Makes the first stage of each form that an answer can have. */
export interface ResponseStageFactories {
  readonly response: CallerResponse;
  readonly target: ResolvedUpstream;
  /** The form that the call asked for; the other one is looked for all the same. */
  readonly expectsStream: boolean;
  stream(contentType: string): StreamStage<Buffer>;
  body(contentType: string): StreamStage<Buffer>;
  /** An answer with a status of 400 and above. */
  error(): StreamStage<Buffer>;
}

/**
 * Chooses by the head of an answer, and by its first byte where the head does not tell,
 * what becomes of its body.
 */
export function chooseResponseStage(
  head: UpstreamResponseHead,
  forms: ResponseStageFactories,
): StreamStage<Buffer> {
  const { status, headers } = head;
  // Over HTTP/2 Node could not pass it on, and the caller would wait for ever.
  if (status > 599) return malformed(forms, `answered with ${status}, which is no HTTP status`);
  if (status >= 400) return forms.error();
  if (status >= 300) return malformed(forms, "answered with a redirect, which is never followed");
  if (!isSuccessBodyStatus(status)) {
    return malformed(forms, `answered with ${status}, which has no whole answer`);
  }
  if (isContentEncoded(headers["content-encoding"])) {
    return malformed(forms, "compressed its answer although it was asked not to");
  }
  const contentType = headers["content-type"] ?? "";
  if (contentType.startsWith(eventStreamMediaType)) return forms.stream(contentType);
  if (!forms.expectsStream && isJsonContentType(contentType)) return forms.body(contentType);
  return sniff(forms);
}

/** The first byte of a body tells its form. */
function sniff(forms: ResponseStageFactories): StreamStage<Buffer> {
  return new ContentSniffingStage(forms.response, (first) => {
    if (streamStarts.has(first)) return forms.stream(defaultEventStreamContentType);
    if (first === openBrace) return forms.body("application/json");
    const form = forms.expectsStream ? "a stream of events" : "a JSON object";
    return malformed(forms, `did not answer with ${form}`);
  });
}

/** An answer that is not what was asked for is refused, and its body not read. */
function malformed(
  { response: answer, target }: ResponseStageFactories,
  fault: string,
): StreamStage<Buffer> {
  answer.fail(createCallFailure("upstream_malformed", `The upstream \`${target.name}\` ${fault}.`));
  return discardingStage;
}

export function isJsonContentType(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(contentType);
}

export function isContentEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== "identity";
}
