import type { JsonObject } from "../../dialect/json.ts";
import type { CreditsCatalogModel } from "../../domain/credits-model.ts";
import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import { capOutputTokens } from "../agent/cap-output.ts";
import { prepareVendorStatelessCreditsCall } from "../credits/prepare-credits-call.ts";
import type { OutboundRequest } from "../upstream/outbound-request.ts";
import { ensureFreshPlannedTargetToken } from "../routing/fresh-token.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { CallerResponse } from "./caller-response.ts";
import { buildTargetedCall, buildOutboundRequest } from "./choose-lane.ts";
import type { RoutedCall } from "./model-call.ts";
import type { CallRequestBody } from "./read-call-body.ts";

/** A way of a call to an upstream that can be dialled, once it is paid for. */
export interface PreparedAttempt {
  readonly call: RoutedCall;
  readonly outbound: OutboundRequest;
  /** Undefined: it costs nothing here. */
  readonly charge: CreditsReservationInput | undefined;
}

/** What is bought with a call on the credits route. */
export interface CreditsReservationInput {
  readonly creditsModel: CreditsCatalogModel;
  /** The body, as it is sent. */
  readonly prompt: JsonObject;
}

/**
 * Writes what is dialled for a call, with a token that lives; synchronous when nothing
 * has to be looked up or renewed. Throws the refusal of what its route cannot carry.
 */
export function prepareAttempt(
  transcoding: TranscodeDependencies,
  call: RoutedCall,
  body: CallRequestBody,
  answer: CallerResponse,
): MaybePromise<PreparedAttempt> {
  return chainMaybePromise(ensureFreshPlannedTargetToken(call.plan), (plan) => {
    const capped = call.isMadeByAgent === true ? capOutputTokens(plan, body) : body;
    if (plan.route === "credits") return prepareSold(transcoding, call, plan, capped, answer);
    const outbound = buildOutboundRequest(
      transcoding,
      buildTargetedCall(call, plan, answer),
      capped,
      undefined,
    );
    return chainMaybePromise(outbound, (ready) => ({ call, outbound: ready, charge: undefined }));
  });
}

/** Nothing is left with the vendor; see `prepareVendorStatelessCreditsCall`. */
async function prepareSold(
  transcoding: TranscodeDependencies,
  call: RoutedCall,
  plan: Extract<PlannedCallTarget, { route: "credits" }>,
  body: CallRequestBody,
  answer: CallerResponse,
): Promise<PreparedAttempt> {
  const asked = buildTargetedCall(call, plan, answer);
  // Read first: the bytes are spent when another model id is put into them.
  const sold = await prepareVendorStatelessCreditsCall(transcoding, asked, body);
  const outbound = await buildOutboundRequest(transcoding, asked, body, sold);
  const purchase = { creditsModel: plan.sold, prompt: { ...sold.body, ...sold.members } };
  return { call, outbound, charge: purchase };
}
