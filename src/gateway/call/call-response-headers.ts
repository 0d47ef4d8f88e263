import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import { buildRateLimitHeaderList } from "../../platform/rate-limit/rate-limit-headers.ts";
import { formatWarningsHeader } from "../transcode/warnings-header.ts";
import type { PartiallyRoutedCall } from "./model-call.ts";

/** Visible ASCII but for the percent sign, which is what the others are written with. */
const plainText = /^[\x21-\x24\x26-\x7e]*$/;

/** A text from a caller, as it may stand in a header: percent-encoded where it has to be. */
function headerText(text: string): string {
  return plainText.test(text) ? text : encodeURI(text.toWellFormed());
}

/** Tells how many turns are begun until the turn of this answer is, itself included. */
export const queuePositionHeaderName = "x-svc-queue-position";

/**
 * The headers that every answer to a call has, as far as the call came: names and
 * values in turn. `losses` is what transcoding lost on the way.
 */
export function buildCallResponseHeaders(
  call: PartiallyRoutedCall,
  losses: readonly ConversionWarning[],
): string[] {
  const {
    requestId,
    surface,
    bucket,
    rateLimitAt: bucketAt,
    callId,
    agent,
    plan = agent?.plan,
  } = call;
  const { queuePosition } = call;
  const headers = ["x-request-id", requestId, "request-id", requestId];
  if (bucket !== undefined && bucketAt !== undefined) {
    headers.push(
      ...buildRateLimitHeaderList(bucket),
      ...surface.rateLimitHeaders(bucket, bucketAt),
    );
  }
  if (agent !== undefined) headers.push("x-svc-session", agent.session, "x-svc-turn", agent.turnId);
  else if (callId !== undefined) headers.push("x-svc-call", callId);
  if (queuePosition !== undefined) headers.push(queuePositionHeaderName, String(queuePosition));
  if (plan !== undefined) {
    headers.push("x-svc-route-used", plan.route, "x-svc-target", headerText(plan.canonicalId));
  }
  const warnings = formatWarningsHeader(losses);
  if (warnings !== undefined) headers.push("x-svc-warnings", warnings);
  return headers;
}
