import { compactionTrigger } from "../../dialect/compaction.ts";
import type { Loss } from "../../dialect/loss.ts";
import { compactSurface } from "../../dialect/responses/compact-surface.ts";
import { ApiError } from "../../platform/errors.ts";
import { whenWarm, type Warm } from "../../platform/warm.ts";
import type { CallToSell, SoldCall } from "../credits/sold-call.ts";
import { callTargetOf } from "../dial/call-target.ts";
import type { AnswerHead, Outbound } from "../dial/outbound.ts";
import { passThrough } from "../relay/pass-through.ts";
import type { Stage } from "../relay/stage.ts";
import { UnaskedRelay } from "../relay/unasked-relay.ts";
import { asksToCompact } from "../response/asks-to-compact.ts";
import type { Plan } from "../routing/plan.ts";
import {
  makeLane,
  parseBody,
  prepareTranscode,
  type TranscodeDependencies,
} from "../transcode/prepare-transcode.ts";
import type { Answer } from "./answer.ts";
import type { ModelCall } from "./model-call.ts";
import { withModel, type CallBody } from "./read-call-body.ts";
import { withMembers } from "./with-members.ts";

/** A call on one of its routes, and whom it is dialled at there. */
export function callOnRoute(call: ModelCall, plan: Plan, answer: Answer): CallToSell {
  const target = callTargetOf(plan.target);
  const { accountId } = call.key.principal;
  return { call, answer, accountId, plan, target, isStrict: call.controls.isStrict };
}

/**
 * What is dialled for a call whose route is known, written in the upstream's dialect,
 * and who takes its answer: the bytes are passed through where the caller speaks that
 * dialect too, and transcoded where not. Throws 400 for what cannot be carried.
 */
export function chooseLane(
  transcoding: TranscodeDependencies,
  asked: CallToSell,
  body: CallBody,
  sold: SoldCall | undefined,
): Warm<Outbound> {
  const isPassed = asked.plan.lane === "pass-through" && sold?.isCompacted !== true;
  if (isPassed) return passedThrough(transcoding, asked, body, sold);
  const read = sold?.body ?? parseBody(body.bytes);
  const lane = prepareTranscode(transcoding, { ...asked, body: read });
  return whenWarm(lane, (ready) => ready.outbound());
}

const nothingLost: readonly Loss[] = [];

function passedThrough(
  transcoding: TranscodeDependencies,
  asked: CallToSell,
  body: CallBody,
  sold: SoldCall | undefined,
): Outbound {
  const { call, answer, plan, target } = asked;
  const { upstreamModel: model } = plan;
  // A route that could not serve the call may have lost something.
  if (sold === undefined) answer.losses = nothingLost;
  const named = withModel(body, model);
  const bare = sold === undefined ? named : withMembers(named, sold.members);
  const passed = sold?.options === undefined ? bare : withMembers(bare, sold.options);
  const plain = sold?.options === undefined ? undefined : bare;
  const asSent = { bytes: named, model: body.model };
  const reshape = (head: AnswerHead): Stage<Buffer> =>
    call.surface.isConversation
      ? reshapeCall(transcoding, asked, asSent, sold, head)
      : refuseUnasked(asked);
  return passThrough({
    call,
    answer,
    target,
    // What the operator pays for is what the catalogue says, whatever a query would add.
    query: sold === undefined ? call.query : "",
    body: passed,
    model,
    plain,
    keep: sold?.keep,
    reshape,
    instead: (status, refusal) => compact(transcoding, asked, asSent, status, refusal),
  });
}

/**
 * What is dialled in the place of a call that its upstream has refused because it does
 * not compact: the model is asked for a summary. Throws 400 for what cannot be carried.
 */
function compact(
  transcoding: TranscodeDependencies,
  asked: CallToSell,
  { bytes, model }: Pick<CallBody, "bytes" | "model">,
  status: number,
  refusal: string,
): Outbound | undefined {
  const isUnknown =
    asked.call.surface === compactSurface
      ? status === 404 || status === 405
      : status === 400 && refusal.includes(compactionTrigger);
  if (!isUnknown) return undefined;
  const body = { ...parseBody(bytes), model };
  if (!asksToCompact(asked.call.surface, body)) return undefined;
  return makeLane(transcoding, { ...asked, body }, undefined).outbound();
}

/**
 * An answer of the caller's dialect in the other form than was asked for: what is
 * written anew names the model as the caller did, and holds what the caller asked for.
 */
function reshapeCall(
  transcoding: TranscodeDependencies,
  asked: CallToSell,
  { bytes, model }: Pick<CallBody, "bytes" | "model">,
  sold: SoldCall | undefined,
  head: AnswerHead,
): Stage<Buffer> {
  try {
    const body = { ...(sold?.body ?? parseBody(bytes)), model };
    return makeLane(transcoding, { ...asked, isStrict: false, body }, sold?.kept).receive(head);
  } catch (error) {
    // The upstream took a body that our codec does not: only its answer's form is wrong then.
    if (!(error instanceof ApiError)) transcoding.reportFault(error);
    return refuseUnasked(asked);
  }
}

function refuseUnasked({ call, answer, target }: CallToSell): Stage<Buffer> {
  const form = call.isStream ? "one JSON body" : "a stream of events";
  return new UnaskedRelay(answer, target, form);
}
