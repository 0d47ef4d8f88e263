import type { Readable } from "node:stream";
import { uncounted } from "../../platform/hold-memory.ts";
import { callFailure } from "../call/call-failure.ts";
import { holdPeak } from "../call/hold-peak.ts";
import {
  discardResponse,
  readResponseBody,
  type UpstreamResponse,
} from "../upstream/send-upstream-request.ts";
import type { CallTarget } from "../upstream/call-target.ts";
import { upstreamError } from "../upstream/upstream-error.ts";
import { UpstreamRequestError } from "../upstream/upstream-request-error.ts";
import { eventStreamType, isEncoded, isJson } from "./choose-response-handler.ts";

/** An answer of an upstream that its caller gets as it is. */
export interface PassThroughResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Readable | Buffer;
}

/** More of an error than this is not read. */
const maxErrorBytes = 64 * 1024;

/**
 * Lets an answer through that has a form of the dialect. Throws an `UpstreamRequestError`
 * for anything else, an error of the upstream's own included.
 */
export async function toPassThroughResponse(
  target: CallTarget,
  answer: UpstreamResponse,
): Promise<PassThroughResponse> {
  const { status, headers, body } = answer;
  if (status >= 400 && status <= 599) throw await gatewayError(target, answer);
  const contentType = headers["content-type"] ?? "application/json";
  const isOfDialect = isJson(contentType) || contentType.startsWith(eventStreamType);
  if (status >= 200 && status <= 299 && isOfDialect && !isEncoded(headers["content-encoding"])) {
    return { status, contentType, body };
  }
  discardResponse(answer);
  const message = `The upstream \`${target.name}\` did not answer in its dialect.`;
  throw new UpstreamRequestError(callFailure("upstream_malformed", message));
}

/** What has come of it when it breaks off is enough: the status says the most. */
async function gatewayError(
  target: CallTarget,
  answer: UpstreamResponse,
): Promise<UpstreamRequestError> {
  const { status, headers } = answer;
  const said = await readResponseBody(answer, maxErrorBytes, holdPeak(uncounted)).catch(
    () => undefined,
  );
  return new UpstreamRequestError(upstreamError(target, status, headers, said?.toString() ?? ""));
}
