import { compactionTriggerType } from "../../dialect/compaction.ts";
import type { ConversionWarning } from "../../dialect/conversion-warning.ts";
import { compactionDialectOperation } from "../../dialect/responses/compact-surface.ts";
import { ApiError } from "../../platform/errors.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import type { TargetedCall, VendorStatelessCreditsCall } from "../credits/credits-call.ts";
import { getUpstreamTarget } from "../upstream/call-target.ts";
import type { UpstreamResponseHead, OutboundRequest } from "../upstream/outbound-request.ts";
import { buildPassThroughRequest } from "../pass-through/pass-through.ts";
import type { StreamStage } from "../pass-through/stage.ts";
import { UpstreamFormatMismatchHandler } from "../pass-through/unexpected-format-relay.ts";
import { wantsCompaction } from "../stored-responses/wants-compaction.ts";
import type { PlannedCallTarget } from "../routing/plan.ts";
import {
  createTranscodedCallHandler,
  prepareTranscodedCall,
  type TranscodeDependencies,
} from "../transcode/prepare-transcode.ts";
import type { CallerResponse } from "./caller-response.ts";
import type { ModelCall } from "./model-call.ts";
import { parseCallBody } from "./parse-call-body.ts";
import { replaceBodyModel, type CallRequestBody } from "./read-call-body.ts";
import { replaceJsonMembers } from "./replace-members.ts";

/** A call on one of its routes, and whom it is dialled at there. */
export function buildTargetedCall(
  call: ModelCall,
  plan: PlannedCallTarget,
  answer: CallerResponse,
): TargetedCall {
  const target = getUpstreamTarget(plan.target);
  const { accountId } = call.key.principal;
  return { call, response: answer, accountId, plan, target, isStrict: call.controls.isStrict };
}

/**
 * What is dialled for a call whose route is known, written in the upstream's dialect,
 * and who takes its answer: the bytes are passed through where the caller speaks that
 * dialect too, and transcoded where not. Throws 400 for what cannot be carried.
 */
export function buildOutboundRequest(
  transcoding: TranscodeDependencies,
  asked: TargetedCall,
  body: CallRequestBody,
  sold: VendorStatelessCreditsCall | undefined,
): MaybePromise<OutboundRequest> {
  const isPassed = asked.plan.lane === "pass-through" && sold?.isCompacted !== true;
  if (isPassed) return passedThrough(transcoding, asked, body, sold);
  const read = sold?.body ?? body.parsed ?? parseCallBody(body.bytes, asked.call.hold);
  const lane = prepareTranscodedCall(transcoding, { ...asked, body: read });
  // Another target may need the bytes of a shared body; those of any other are freed here.
  const freed = body.isShared === true ? 0 : body.bytes.length;
  return chainMaybePromise(lane, (ready) => holdOutbound(ready.outbound(), freed, asked.call.hold));
}

/** Counts the bytes that are sent, as far as they exceed those that are freed. */
function holdOutbound(
  outbound: OutboundRequest,
  freed: number,
  hold: MemoryReserver,
): OutboundRequest {
  const more = outbound.body.length - freed;
  if (more > 0) hold(more);
  return outbound;
}

const nothingLost: readonly ConversionWarning[] = [];

function passedThrough(
  transcoding: TranscodeDependencies,
  asked: TargetedCall,
  body: CallRequestBody,
  sold: VendorStatelessCreditsCall | undefined,
): OutboundRequest {
  const { call, response: answer, plan, target } = asked;
  const { upstreamModel: model } = plan;
  // A route that could not serve the call may have lost something.
  if (sold === undefined) answer.warnings = nothingLost;
  const named = replaceBodyModel(body, model);
  const bare = sold === undefined ? named : replaceJsonMembers(named, sold.members);
  const passed = sold?.options === undefined ? bare : replaceJsonMembers(bare, sold.options);
  const plain = sold?.options === undefined ? undefined : bare;
  const asSent = { bytes: named, model: body.model };
  const reshape = (head: UpstreamResponseHead): StreamStage<Buffer> =>
    call.surface.isConversation
      ? transcodeResponse(transcoding, asked, asSent, sold, head)
      : rejectUnexpectedFormat(asked);
  return buildPassThroughRequest({
    call,
    response: answer,
    target,
    // What the operator pays for is what the catalogue says, whatever a query would add.
    query: sold === undefined ? call.query : "",
    body: passed,
    model,
    isUnencoded: plain,
    isPaid: sold !== undefined,
    storeResponse: sold?.storeResponse,
    reshape,
    replacementBody: (status, refusal) => compact(transcoding, asked, asSent, status, refusal),
  });
}

/**
 * What is dialled in the place of a call that its upstream has refused because it does
 * not compact: the model is asked for a summary. Throws 400 for what cannot be carried.
 */
function compact(
  transcoding: TranscodeDependencies,
  asked: TargetedCall,
  { bytes, model }: Pick<CallRequestBody, "bytes" | "model">,
  status: number,
  refusal: string,
): OutboundRequest | undefined {
  const isUnknown =
    asked.call.surface === compactionDialectOperation
      ? status === 404 || status === 405
      : status === 400 && refusal.includes(compactionTriggerType);
  if (!isUnknown) return undefined;
  const body = { ...parseCallBody(bytes, asked.call.hold), model };
  if (!wantsCompaction(asked.call.surface, body)) return undefined;
  return createTranscodedCallHandler(transcoding, { ...asked, body }, undefined).outbound();
}

/**
 * An answer of the caller's dialect in the other form than was asked for: what is
 * written anew names the model as the caller did, and holds what the caller asked for.
 */
function transcodeResponse(
  transcoding: TranscodeDependencies,
  asked: TargetedCall,
  { bytes, model }: Pick<CallRequestBody, "bytes" | "model">,
  sold: VendorStatelessCreditsCall | undefined,
  head: UpstreamResponseHead,
): StreamStage<Buffer> {
  try {
    const body = { ...(sold?.body ?? parseCallBody(bytes, asked.call.hold)), model };
    return createTranscodedCallHandler(
      transcoding,
      { ...asked, isStrict: false, body },
      sold?.storesResponse,
    ).receive(head);
  } catch (error) {
    // The upstream took a body that our codec does not: only its answer's form is wrong then.
    if (!(error instanceof ApiError)) transcoding.reportInternalError(error);
    return rejectUnexpectedFormat(asked);
  }
}

function rejectUnexpectedFormat({
  call,
  response: answer,
  target,
}: TargetedCall): StreamStage<Buffer> {
  const form = call.isStream ? "one JSON body" : "a stream of events";
  return new UpstreamFormatMismatchHandler(answer, target, form);
}
