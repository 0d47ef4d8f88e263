import { ApiError } from "../../platform/errors.ts";
import { ifWarm } from "../../platform/warm.ts";
import type { Outbound } from "../dial/outbound.ts";
import { withLiveToken } from "../routing/live-token.ts";
import { planCall } from "../routing/plan-call.ts";
import type { ResolvedCall } from "../routing/resolve-call.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { Answer } from "./answer.ts";
import { callOnRoute, chooseLane } from "./choose-lane.ts";
import type { RoutedCall } from "./model-call.ts";

/** One way of a call to an upstream that can be dialled. */
export interface PreparedRoute {
  readonly call: RoutedCall;
  readonly outbound: Outbound;
}

/** The next of the caller's own routes that serves the model; undefined: there is none. */
export type NextRoute = () => PreparedRoute | undefined;

/** There is no other route. */
export const nowhereElse: NextRoute = () => undefined;

/** Goes through the other routes of a call, each once. */
export function nextRouteOf(
  transcoding: TranscodeDependencies,
  others: readonly ResolvedCall[],
  answer: Answer,
): NextRoute {
  if (others.length === 0) return nowhereElse;
  const rest = [...others];
  return () => {
    for (let other = rest.shift(); other !== undefined; other = rest.shift()) {
      const route = prepareAtOnce(transcoding, other, answer);
      if (route !== undefined) return route;
    }
    return undefined;
  };
}

/** Undefined: it rests, or cannot carry this call now. What has to be looked up first is not worth a wait. */
function prepareAtOnce(
  transcoding: TranscodeDependencies,
  other: ResolvedCall,
  answer: Answer,
): PreparedRoute | undefined {
  try {
    const { call, body } = planCall(other);
    const plan = ifWarm(withLiveToken(call.plan));
    if (plan === undefined) return undefined;
    const asked = callOnRoute(call, plan, answer);
    if (asked.target.breaker.isResting) return undefined;
    const outbound = ifWarm(chooseLane(transcoding, asked, body, undefined));
    return outbound && { call, outbound };
  } catch (error) {
    // It cannot carry this call, or the key may not use it.
    if (!(error instanceof ApiError)) transcoding.reportFault(error);
    return undefined;
  }
}
