import type { Readable } from "node:stream";
import { noopMemoryReserver } from "../../platform/hold-memory.ts";
import { createCallFailure } from "../call/call-failure.ts";
import { createUpstreamDataMemoryCounter } from "../call/hold-peak.ts";
import {
  discardUpstreamResponse,
  readUpstreamResponseBody,
  type UpstreamResponse,
} from "../upstream/send-upstream-request.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";
import { createUpstreamErrorFailure } from "../upstream/upstream-error.ts";
import { isSuccessBodyStatus } from "../upstream/upstream-status.ts";
import { UpstreamFailureError } from "../upstream/upstream-request-error.ts";
import {
  eventStreamMediaType,
  isContentEncoded,
  isJsonContentType,
} from "./choose-response-handler.ts";

/** An answer of an upstream that its caller gets as it is. */
export interface RelayableResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Readable | Buffer;
}

/** More of an error than this is not read. */
const maxErrorBytes = 64 * 1024;

/**
 * Lets an answer through that has a form of the dialect. Throws an `UpstreamFailureError`
 * for anything else, an error of the upstream's own included.
 */
export async function requireRelayableResponse(
  target: ResolvedUpstream,
  answer: UpstreamResponse,
): Promise<RelayableResponse> {
  const { status, headers, body } = answer;
  if (status >= 400 && status <= 599) throw await gatewayError(target, answer);
  const contentType = headers["content-type"] ?? "application/json";
  const isOfDialect =
    isJsonContentType(contentType) || contentType.startsWith(eventStreamMediaType);
  if (
    isSuccessBodyStatus(status) &&
    isOfDialect &&
    !isContentEncoded(headers["content-encoding"])
  ) {
    return { status, contentType, body };
  }
  discardUpstreamResponse(answer);
  const message = `The upstream \`${target.name}\` did not answer in its dialect.`;
  throw new UpstreamFailureError(createCallFailure("upstream_malformed", message));
}

/** What has come of it when it breaks off is enough: the status says the most. */
async function gatewayError(
  target: ResolvedUpstream,
  answer: UpstreamResponse,
): Promise<UpstreamFailureError> {
  const { status, headers } = answer;
  const said = await readUpstreamResponseBody(
    answer,
    maxErrorBytes,
    createUpstreamDataMemoryCounter(noopMemoryReserver),
  ).catch(() => undefined);
  return new UpstreamFailureError(
    createUpstreamErrorFailure(target, status, headers, said?.toString() ?? ""),
  );
}
