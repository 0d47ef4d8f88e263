import { BodyReader } from "../../dialect/body-reader.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { LossLedger } from "../../dialect/loss.ts";
import { refuseLosses } from "../../dialect/transcode-request.ts";
import { capabilitiesOf } from "../transcode/capabilities-of.ts";
import { lacksUsageOption, usageOption } from "../relay/hide-usage.ts";
import { parseBody, type TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { Warm } from "../../platform/warm.ts";
import { scanBody } from "../call/read-call-body.ts";
import { asksToCompact } from "../response/asks-to-compact.ts";
import { refuseUnsoldState } from "./refuse-unsold-state.ts";
import type { CallToSell, SoldCall } from "./sold-call.ts";
import { sellResponse } from "./sold-response.ts";

/** What decides whether something is left or opened; the vendor must not read it otherwise. */
const decidingMembers = [
  "store",
  "metadata",
  "messages",
  "input",
  "tools",
  "include",
  "previous_response_id",
  "background",
  "conversation",
  "prompt",
  "container",
  "thread",
  "diagnostics",
  "deferred",
];

/**
 * Judges a call by what it would leave with the vendor or open there. Throws 400
 * with the `param` for what cannot be had on credits. Only a call that refers to
 * kept turns waits for the database.
 */
export function sellCall(
  dependencies: TranscodeDependencies,
  asked: CallToSell,
  bytes: Buffer,
): Warm<SoldCall> {
  const body = parseBody(bytes);
  const { dialect, isConversation } = asked.call.surface;
  scanBody(bytes, decidingMembers);
  refuseUnsoldState(dialect, body);
  if (asked.plan.lane === "transcode" || !isConversation) return { body, members: {} };
  if (asksToCompact(asked.call.surface, body)) return { body, members: {}, isCompacted: true };
  switch (dialect) {
    case "dialect_chat":
      return sellChat(asked, body);
    case "dialect_responses":
      return sellResponse(dependencies, asked, body);
    case "dialect_messages":
      return { body, members: {} };
  }
}

/** `metadata` is for finding what was stored, and refused where nothing is. */
function sellChat({ answer, plan, target, isStrict }: CallToSell, body: JsonObject): SoldCall {
  const { dialect, upstreamModel } = plan;
  const { firstParty, streamUsage } = capabilitiesOf(plan.target, target, dialect, upstreamModel);
  const options = streamUsage && lacksUsageOption(body) ? usageOption(body) : undefined;
  const reader = new BodyReader(body);
  // The vendor itself may store what it is not asked to; others may not know the word.
  if (reader.boolean("store") !== true) {
    return { body, members: firstParty ? { store: false } : {}, options };
  }
  const stored = ["store", "metadata"].filter((name) => reader.has(name));
  const ledger = new LossLedger();
  for (const name of stored) ledger.drop(name, "unsupported");
  if (isStrict) refuseLosses(ledger);
  answer.losses = ledger.losses;
  const members = { store: false, ...(reader.has("metadata") && { metadata: null }) };
  return { body, members, options };
}
