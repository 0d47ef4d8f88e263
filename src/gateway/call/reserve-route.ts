import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import { newId } from "../../platform/ids.ts";
import { tagsOfCall } from "../../kernel/call-tags.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Warm } from "../../platform/warm.ts";
import type { Outbound } from "../dial/outbound.ts";
import type { CallLedger } from "../ports.ts";
import type { AnswerOutcome } from "./answer-outcome.ts";
import type { Bill } from "./bill.ts";
import type { RoutedCall } from "./model-call.ts";
import type { PreparedRoute, Purchase } from "./prepare-route.ts";
import { estimatedPromptTokens, outputCapOf } from "./prompt-text.ts";
import { usedTokens } from "./used-tokens.ts";

/** Answers of callers who set no cap to models whose own cap is not known. */
const defaultOutputTokens = 4096;

/** How often a call that runs tells what it has used, so that a crash loses little. */
const checkpointMs = 15_000;

/** Where it is written down what calls cost, and by which clock. */
export interface Billing {
  readonly ledger: CallLedger;
  readonly clock: Clock;
}

/** A way of a call to an upstream, with the money held that it may cost. */
export interface ReservedRoute {
  readonly call: RoutedCall;
  readonly outbound: Outbound;
  /** Undefined: it costs nothing here. */
  readonly bill: Bill | undefined;
}

/**
 * Holds the most that a call on the credits route can cost: its prompt, by an estimate,
 * and as much output as it may have. That is done last, when nothing else can refuse the
 * call; one that costs nothing goes on at once. Each of several
 * targets is reserved, and charged, for itself: `isPooled`. Throws 402 `byo_url`, 503 without a database.
 */
export function reserveRoute(
  billing: Billing,
  { call, outbound, purchase }: PreparedRoute,
  answer: AnswerOutcome,
  isPooled: boolean,
): Warm<ReservedRoute> {
  if (purchase === undefined) return { call, outbound, bill: undefined };
  return openBill(billing, call, purchase, answer, isPooled).then((bill) => ({
    call,
    outbound,
    bill,
  }));
}

async function openBill(
  { ledger, clock }: Billing,
  { callId, surface, key, controls, plan }: RoutedCall,
  purchase: Purchase,
  answer: AnswerOutcome,
  isPooled: boolean,
): Promise<Bill> {
  const { sold, prompt } = purchase;
  const promptTokens = estimatedPromptTokens(prompt);
  const output = mostOutput(surface, purchase);
  const id = isPooled ? newId("call", clock.now()) : callId;
  const reservation = await ledger.reserve({
    id,
    callId: isPooled ? callId : undefined,
    tags: tagsOfCall(controls.tags, key.tags),
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    model: plan.canonicalId,
    price: sold.price,
    tokens: { input: promptTokens, cacheRead: 0, cacheWrite: 0, output },
    budget: key.budget,
  });
  const checkpoint = (): void => {
    reservation.checkpoint(usedTokens(answer, promptTokens, true)).catch(() => undefined);
  };
  const request = { id, price: sold.price };
  return {
    reservation,
    request,
    promptTokens,
    checkpoints: setInterval(checkpoint, checkpointMs).unref(),
  };
}

function mostOutput(
  { dialect, isConversation }: DialectSurface,
  { sold, prompt }: Purchase,
): number {
  if (!isConversation) return 0;
  const asked = outputCapOf(dialect, prompt);
  // However much is asked for, a model says no more than it can.
  const most = sold.maxOutputTokens ?? asked ?? defaultOutputTokens;
  return Math.min(asked ?? most, most);
}
