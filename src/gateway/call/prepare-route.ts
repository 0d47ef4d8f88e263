import type { JsonObject } from "../../dialect/json.ts";
import type { SoldModel } from "../../kernel/sold-model.ts";
import { whenWarm, type Warm } from "../../platform/warm.ts";
import { withModelsCap } from "../agent/cap-output.ts";
import { sellCall } from "../credits/sell-call.ts";
import type { Outbound } from "../dial/outbound.ts";
import { withLiveToken } from "../routing/live-token.ts";
import type { Plan } from "../routing/plan.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { Answer } from "./answer.ts";
import { callOnRoute, chooseLane } from "./choose-lane.ts";
import type { RoutedCall } from "./model-call.ts";
import type { CallBody } from "./read-call-body.ts";

/** A way of a call to an upstream that can be dialled, once it is paid for. */
export interface PreparedRoute {
  readonly call: RoutedCall;
  readonly outbound: Outbound;
  /** Undefined: it costs nothing here. */
  readonly purchase: Purchase | undefined;
}

/** What is bought with a call on the credits route. */
export interface Purchase {
  readonly sold: SoldModel;
  /** The body, as it is sent. */
  readonly prompt: JsonObject;
}

/**
 * Writes what is dialled for a call, with a token that lives; synchronous when nothing
 * has to be looked up or renewed. Throws the refusal of what its route cannot carry.
 */
export function prepareRoute(
  transcoding: TranscodeDependencies,
  call: RoutedCall,
  body: CallBody,
  answer: Answer,
): Warm<PreparedRoute> {
  return whenWarm(withLiveToken(call.plan), (plan) => {
    const capped = call.isAgents === true ? withModelsCap(plan, body) : body;
    if (plan.route === "credits") return prepareSold(transcoding, call, plan, capped, answer);
    const outbound = chooseLane(transcoding, callOnRoute(call, plan, answer), capped, undefined);
    return whenWarm(outbound, (ready) => ({ call, outbound: ready, purchase: undefined }));
  });
}

/** Nothing is left with the vendor; see `sellCall`. */
async function prepareSold(
  transcoding: TranscodeDependencies,
  call: RoutedCall,
  plan: Extract<Plan, { route: "credits" }>,
  body: CallBody,
  answer: Answer,
): Promise<PreparedRoute> {
  const asked = callOnRoute(call, plan, answer);
  // Read first: the bytes are spent when another model id is put into them.
  const sold = await sellCall(transcoding, asked, body.bytes);
  const outbound = await chooseLane(transcoding, asked, body, sold);
  const purchase = { sold: plan.sold, prompt: { ...sold.body, ...sold.members } };
  return { call, outbound, purchase };
}
