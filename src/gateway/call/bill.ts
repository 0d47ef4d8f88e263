import type { Usage } from "../../dialect/usage.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { ModelCall } from "./model-call.ts";
import type { Plan } from "../routing/plan.ts";
import type { CallLedger } from "../ports.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { UsedTokens } from "../../kernel/reservation.ts";
import type { Warm } from "../../platform/warm.ts";
import { outputCapOf, promptTextLength } from "./prompt-text.ts";
import { estimatedTokens } from "./text-length.ts";

/** Answers of callers who set no cap to models whose own cap is not known. */
const defaultOutputTokens = 4096;

/** How often a call that runs tells what it has used, so that a crash loses little. */
const checkpointMs = 15_000;

/** Where it is written down what calls cost, and by which clock. */
export interface Billing {
  readonly ledger: CallLedger;
  readonly clock: Clock;
}

/**
 * Holds the most that a call on the credits route can cost (contract section 6,
 * reserve and settle). Throws 402 `byo_url`, 503 without a database.
 */
export async function reserve(
  { ledger, clock }: Billing,
  call: ModelCall,
  key: CallerKey,
  plan: Extract<Plan, { route: "credits" }>,
  body: JsonObject,
): Promise<void> {
  const { sold } = plan;
  call.promptTokens = estimatedTokens(promptTextLength(body));
  const output =
    outputCapOf(call.surface.dialect, body) ?? sold.maxOutputTokens ?? defaultOutputTokens;
  const reservation = await ledger.reserve({
    id: newId("call", clock.now()),
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    model: plan.canonicalId,
    price: sold.price,
    tokens: { input: call.promptTokens, cacheRead: 0, cacheWrite: 0, output },
    budget: key.budget,
  });
  const checkpoint = (): void =>
    void reservation.checkpoint(usedBy(call, true)).catch(() => undefined);
  call.bill = { reservation, checkpoints: setInterval(checkpoint, checkpointMs).unref() };
}

/**
 * Settles a call that has ended, or notes what it used where it cost nothing, which
 * is done at once. A call of which nothing reached its caller is charged nothing.
 */
export function settle(billing: Billing, call: ModelCall): Warm<void> {
  const { bill } = call;
  if (bill === undefined) return noteUnpaid(billing, call);
  clearInterval(bill.checkpoints);
  call.bill = undefined;
  return call.hasAnswer ? bill.reservation.settle(usedBy(call, true)) : bill.reservation.release();
}

function noteUnpaid({ ledger, clock }: Billing, call: ModelCall): void {
  const { key, plan } = call;
  if (key === undefined || plan === undefined || !call.hasAnswer) return;
  const { input, cacheRead, cacheWrite, output, isEstimated, raw } = usedBy(call, false);
  const now = clock.now();
  ledger.note({
    id: newId("call", now),
    accountId: key.principal.accountId,
    keyId: key.principal.keyId,
    model: plan.canonicalId,
    inputTokens: input + cacheRead + cacheWrite,
    cachedInputTokens: cacheRead,
    outputTokens: output,
    isEstimated,
    raw,
    startedAt: now - (performance.now() - call.startedAt),
  });
}

/** What was told, and where nothing was told what was relayed. */
function usedBy(call: ModelCall, isPaid: boolean): UsedTokens {
  const told: Usage | undefined = call.usage ?? call.meter?.readUsage(isPaid);
  const output = outputOf(call, told);
  return {
    input: told?.input ?? call.promptTokens ?? estimatedTokens(call.requestBytes),
    cacheRead: told?.cacheRead ?? 0,
    cacheWrite: told?.cacheWrite ?? 0,
    output,
    isEstimated: told?.input === undefined || told.output !== output,
    raw: told?.raw,
  };
}

/**
 * A messages upstream counts the first token when its stream begins and the others
 * at its end: of a stream that was cut, what was relayed says more.
 */
function outputOf(call: ModelCall, told: Usage | undefined): number {
  const isWhole = call.hasEnded && call.errorCode === undefined;
  if (isWhole && told?.output !== undefined) return told.output;
  return Math.max(told?.output ?? 0, call.meter?.relayedTokens() ?? 0);
}
