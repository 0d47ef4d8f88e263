import type { Readable } from "node:stream";
import { failure } from "../call/call-failure.ts";
import { dropAnswer, readAnswer, type UpstreamAnswer } from "../dial/ask-upstream.ts";
import type { CallTarget } from "../dial/call-target.ts";
import { upstreamError } from "../dial/upstream-error.ts";
import { UpstreamFailure } from "../dial/upstream-failure.ts";
import { eventStream, isEncoded, isJson } from "./choose-stages.ts";

/** An answer of an upstream that its caller gets as it is. */
export interface PassedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Readable | Buffer;
}

/** More of an error than this is not read. */
const largestErrorBytes = 64 * 1024;

/**
 * Lets an answer through that has a form of the dialect. Throws an `UpstreamFailure`
 * for anything else, an error of the upstream's own included.
 */
export async function passedAnswer(
  target: CallTarget,
  answer: UpstreamAnswer,
): Promise<PassedAnswer> {
  const { status, headers, body } = answer;
  if (status >= 400 && status <= 599) throw await ownError(target, answer);
  const contentType = headers["content-type"] ?? "application/json";
  const isOfDialect = isJson(contentType) || contentType.startsWith(eventStream);
  if (status >= 200 && status <= 299 && isOfDialect && !isEncoded(headers["content-encoding"])) {
    return { status, contentType, body };
  }
  dropAnswer(answer);
  const message = `The upstream \`${target.name}\` did not answer in its dialect.`;
  throw new UpstreamFailure(failure("upstream_malformed", message));
}

/** What has come of it when it breaks off is enough: the status says the most. */
async function ownError(target: CallTarget, answer: UpstreamAnswer): Promise<UpstreamFailure> {
  const { status, headers } = answer;
  const said = await readAnswer(answer, largestErrorBytes).catch(() => undefined);
  return new UpstreamFailure(upstreamError(target, status, headers, said?.toString() ?? ""));
}
