import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import { asJsonObjectElements, asObject, asString, type JsonObject } from "../../dialect/json.ts";
import { newResourceId } from "../../platform/ids.ts";
import { mergeCallTagsPreferringKey } from "../../domain/call-tags.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import type { PricedCallTokens } from "../../domain/reservation.ts";
import type { OutboundRequest } from "../upstream/outbound-request.ts";
import type { CallReservationLedger } from "../ports.ts";
import type { CallerResponseOutcome } from "./response-outcome.ts";
import type { CallReservation } from "./call-reservation.ts";
import type { RoutedCall } from "./model-call.ts";
import type { PreparedAttempt, CreditsReservationInput } from "./prepare-attempt.ts";
import { estimatePromptTokens, readMaxOutputTokens } from "./prompt-text.ts";
import { computeCallTokenUsage } from "./used-tokens.ts";

/** Answers of callers who set no cap to models whose own cap is not known. */
const defaultOutputTokens = 4096;

/** How often a call that runs tells what it has used, so that a crash loses little. */
const checkpointMs = 15_000;

/** Where it is written down what calls cost, and by which clock. */
export interface CreditsReservationDependencies {
  readonly ledger: CallReservationLedger;
  readonly clock: Clock;
}

/** A way of a call to an upstream, with the money held that it may cost. */
export interface ReservedAttempt {
  readonly call: RoutedCall;
  readonly outbound: OutboundRequest;
  /** Undefined: it costs nothing here. */
  readonly reservation: CallReservation | undefined;
}

/**
 * Holds the most that a call on the credits route can cost: its prompt, by an estimate,
 * and as much output as it may have, for each request that it may need. That is done last, when nothing else can refuse the
 * call; one that costs nothing goes on at once. Each of several
 * targets is reserved, and charged, for itself: `isPooled`. Throws 402 `byo_url`, 503 without a database.
 */
export function reserveAttemptCredits(
  billing: CreditsReservationDependencies,
  { call, outbound, charge: purchase }: PreparedAttempt,
  answer: CallerResponseOutcome,
  isPooled: boolean,
): MaybePromise<ReservedAttempt> {
  if (purchase === undefined) return { call, outbound, reservation: undefined };
  const { maxFollowUps = 0 } = outbound;
  const requests = 1 + maxFollowUps + (compactsConversation(purchase.prompt) ? 1 : 0);
  return openReservation(billing, call, purchase, answer, isPooled, requests).then((bill) => ({
    call,
    outbound,
    reservation: bill,
  }));
}

async function openReservation(
  { ledger, clock }: CreditsReservationDependencies,
  { callId, surface, key, controls, plan }: RoutedCall,
  purchase: CreditsReservationInput,
  answer: CallerResponseOutcome,
  isPooled: boolean,
  requests: number,
): Promise<CallReservation> {
  const { creditsModel: sold, prompt } = purchase;
  const promptTokens = estimatePromptTokens(prompt);
  const output = maxOutputTokensOf(surface, purchase);
  const id = isPooled ? newResourceId("call", clock.now()) : callId;
  const reservation = await ledger.reserve({
    id,
    callId: isPooled ? callId : undefined,
    tags: mergeCallTagsPreferringKey(controls.tags, key.tags),
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    model: plan.canonicalId,
    price: sold.price,
    tokens: tokensOfRequests(promptTokens, output, requests),
    budget: key.budget,
  });
  const checkpoint = (): void => {
    reservation.checkpoint(computeCallTokenUsage(answer, promptTokens)).catch(() => undefined);
  };
  const request = { id, price: sold.price };
  return {
    reservation,
    request,
    promptTokens,
    checkpoints: setInterval(checkpoint, checkpointMs).unref(),
  };
}

/** Whether a messages vendor may read the whole conversation once more, to compact it first. */
function compactsConversation(prompt: JsonObject): boolean {
  const edits = asObject(prompt["context_management"])?.["edits"];
  return asJsonObjectElements(edits).some(({ type }) => asString(type)?.startsWith("compact"));
}

/** Each request after the first repeats the prompt and all that was answered before. */
function tokensOfRequests(prompt: number, output: number, requests: number): PricedCallTokens {
  const repeated = (output * requests * (requests - 1)) / 2;
  const input = prompt * requests + repeated;
  return { input, cacheRead: 0, cacheWrite: 0, output: output * requests };
}

function maxOutputTokensOf(
  { dialect, isConversation }: DialectOperation,
  { creditsModel: sold, prompt }: CreditsReservationInput,
): number {
  if (!isConversation) return 0;
  const asked = readMaxOutputTokens(dialect, prompt);
  // However much is asked for, a model says no more than it can.
  const most = sold.maxOutputTokens ?? asked ?? defaultOutputTokens;
  return Math.min(asked ?? most, most);
}
