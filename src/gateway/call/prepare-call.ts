import type { Answer } from "./answer.ts";
import { reserve, type Billing } from "./bill.ts";
import { sellCall } from "../credits/sell-call.ts";
import type { CallToSell, SoldCall } from "../credits/sold-call.ts";
import { dialTargetOf } from "../dial/dial-target.ts";
import { UnaskedRelay } from "../relay/unasked-relay.ts";
import type { AnswerHead, Outbound } from "../dial/outbound.ts";
import { passThrough } from "../relay/pass-through.ts";
import {
  makeLane,
  parseBody,
  prepareTranscode,
  type TranscodeDependencies,
} from "../transcode/prepare-transcode.ts";
import { withLiveToken } from "../routing/live-token.ts";
import { Exchange, type ExchangeDependencies, type NextOwn } from "../dial/exchange.ts";
import type { Receiver } from "../relay/receiver.ts";
import { ApiError } from "../../platform/errors.ts";
import type { ModelCall } from "./model-call.ts";
import { planCall, type Plan } from "../routing/plan.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { Warm } from "../../platform/warm.ts";
import { readCallBody, withModel, type CallBody } from "./read-call-body.ts";
import type { Directories, ResolvedModel } from "../routing/owned-targets.ts";
import { resolveModel } from "../routing/resolve-model.ts";
import type { ControlHeaders } from "../admission/control-headers.ts";
import { whenWarm } from "../../platform/warm.ts";
import { withMembers } from "./with-members.ts";

/** What an admitted call needs to be served. */
export interface CallDependencies extends ExchangeDependencies, Billing {
  readonly directories: Directories;
  readonly transcoding: TranscodeDependencies;
}

/** A call that was let in: its key and headers are known. */
export interface AdmittedCall {
  readonly call: ModelCall;
  readonly key: CallerKey;
  readonly controls: ControlHeaders;
}

/**
 * Reads the body, plans where the call goes and makes the exchange that serves
 * it, not yet dialled. Synchronous when everything is warm. Throws the refusal.
 */
export function prepareCall(
  dependencies: CallDependencies,
  admitted: AdmittedCall,
  answer: Answer,
  bytes: Buffer,
): Warm<Exchange> {
  const { call, key } = admitted;
  call.requestBytes = bytes.length;
  const body = readCallBody(bytes);
  call.isStream = body.isStream;
  const resolved = resolveModel(dependencies.directories, key.principal.accountId, body.model);
  return whenWarm(resolved, (found) => makeExchange(dependencies, admitted, answer, body, found));
}

function makeExchange(
  dependencies: CallDependencies,
  admitted: AdmittedCall,
  answer: Answer,
  body: CallBody,
  resolved: ResolvedModel,
): Warm<Exchange> {
  const { call, key, controls } = admitted;
  const { dialect } = call.surface;
  const plan = planCall({ dialect, key, controls, ...resolved });
  call.plan = plan;
  const nextOwn = nextOwnOf(dependencies, admitted, answer, body, resolved, plan);
  const live = withLiveToken(plan);
  if (!(live instanceof Promise)) {
    return planned(dependencies, admitted, answer, body, live, nextOwn);
  }
  return live.then(
    (renewed) => planned(dependencies, admitted, answer, body, renewed, nextOwn),
    (error: unknown) => elsewhere(dependencies, call, answer, nextOwn, error),
  );
}

/** The first route's login could not be renewed: the next own one may serve. */
function elsewhere(
  dependencies: CallDependencies,
  call: ModelCall,
  answer: Answer,
  nextOwn: NextOwn | undefined,
  error: unknown,
): Exchange {
  const isPassing = error instanceof ApiError && error.status >= 500;
  const outbound = isPassing ? nextOwn?.() : undefined;
  if (outbound === undefined) throw error;
  return new Exchange(dependencies, call, answer, outbound, nextOwn);
}

function planned(
  dependencies: CallDependencies,
  { call, key, controls }: AdmittedCall,
  answer: Answer,
  body: CallBody,
  plan: Plan,
  nextOwn: NextOwn | undefined,
): Warm<Exchange> {
  const target = dialTargetOf(plan.target);
  const { accountId } = key.principal;
  const asked = { call, answer, accountId, plan, target, isStrict: controls.isStrict };
  if (plan.route === "credits") return soldExchange(dependencies, asked, key, plan, body);
  return whenWarm(
    outboundOf(dependencies.transcoding, asked, body, undefined),
    (ready) => new Exchange(dependencies, call, answer, ready, nextOwn),
  );
}

/** Money is held last, when nothing else can refuse the call. */
async function soldExchange(
  dependencies: CallDependencies,
  asked: CallToSell,
  key: CallerKey,
  plan: Extract<Plan, { route: "credits" }>,
  body: CallBody,
): Promise<Exchange> {
  const { call, answer } = asked;
  // Read first: the bytes are spent when another model id is put into them.
  const sold = await sellCall(dependencies.transcoding, asked, body.bytes);
  const outbound = await outboundOf(dependencies.transcoding, asked, body, sold);
  await reserve(dependencies, call, key, plan, { ...sold.body, ...sold.members });
  return new Exchange(dependencies, call, answer, outbound);
}

/**
 * The routes to go on to when the first cannot serve: the other own ones. Only a
 * bare id has several, and its bytes need no other model id, so they are whole.
 */
function nextOwnOf(
  dependencies: CallDependencies,
  admitted: AdmittedCall,
  answer: Answer,
  body: CallBody,
  { reference, owned }: ResolvedModel,
  { route }: Plan,
): NextOwn | undefined {
  if (route !== "byo" || owned.length < 2) return undefined;
  const rest = owned.slice(1);
  return () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const resolved = { reference, owned: [next], sold: undefined };
      const outbound = nextOutbound(dependencies, admitted, answer, body, resolved);
      if (outbound !== undefined) return outbound;
    }
    return undefined;
  };
}

/** Undefined: it rests, or cannot carry this call now. */
function nextOutbound(
  { transcoding }: CallDependencies,
  { call, key, controls }: AdmittedCall,
  answer: Answer,
  body: CallBody,
  resolved: ResolvedModel,
): Outbound | undefined {
  const { dialect } = call.surface;
  try {
    const plan = withLiveToken(planCall({ dialect, key, controls, ...resolved }));
    // What has to be looked up first is not worth a wait.
    if (plan instanceof Promise) return void plan.catch(() => undefined);
    const target = dialTargetOf(plan.target);
    if (target.breaker.isResting) return undefined;
    const { accountId } = key.principal;
    const asked = { call, answer, accountId, plan, target, isStrict: controls.isStrict };
    const outbound = outboundOf(transcoding, asked, body, undefined);
    if (outbound instanceof Promise) return undefined;
    call.plan = plan;
    return outbound;
  } catch (error) {
    // It cannot carry this call, or the key may not use it.
    if (!(error instanceof ApiError)) transcoding.reportFault(error);
    return undefined;
  }
}

function outboundOf(
  transcoding: TranscodeDependencies,
  asked: CallToSell,
  body: CallBody,
  sold: SoldCall | undefined,
): Warm<Outbound> {
  const { call, answer, plan, target } = asked;
  if (plan.lane === "transcode") {
    const read = sold?.body ?? parseBody(body.bytes);
    const lane = prepareTranscode(transcoding, { ...asked, body: read });
    return whenWarm(lane, (ready) => ready.outbound());
  }
  const { upstreamModel: model } = plan;
  const named = withModel(body, model);
  const bare = sold === undefined ? named : withMembers(named, sold.members);
  const passed = sold?.options === undefined ? bare : withMembers(bare, sold.options);
  const plain = sold?.options === undefined ? undefined : bare;
  const asSent = { bytes: named, model: body.model };
  const reshape = (head: AnswerHead): Receiver => reshaped(transcoding, asked, asSent, sold, head);
  return passThrough({
    call,
    answer,
    target,
    body: passed,
    model,
    plain,
    keep: sold?.keep,
    reshape,
  });
}

/**
 * An answer of the caller's dialect in the other form than was asked for: what is
 * written anew names the model as the caller did, and holds what the caller asked for.
 */
function reshaped(
  transcoding: TranscodeDependencies,
  asked: CallToSell,
  { bytes, model }: Pick<CallBody, "bytes" | "model">,
  sold: SoldCall | undefined,
  head: AnswerHead,
): Receiver {
  try {
    const body = { ...(sold?.body ?? parseBody(bytes)), model };
    return makeLane(transcoding, { ...asked, isStrict: false, body }, sold?.kept).receive(head);
  } catch (error) {
    // The upstream took a body that our codec does not: only its answer's form is wrong then.
    if (!(error instanceof ApiError)) transcoding.reportFault(error);
    const form = asked.call.isStream ? "one JSON body" : "a stream of events";
    return new UnaskedRelay(asked.answer, asked.target, form);
  }
}
