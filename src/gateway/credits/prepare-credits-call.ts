import { RequestFieldReader } from "../../dialect/body-reader.ts";
import type { JsonObject } from "../../dialect/json.ts";
import { ConversionWarningCollector } from "../../dialect/conversion-warning.ts";
import { throwOnFirstConversionWarning } from "../../dialect/transcode-request.ts";
import { resolveCapabilities } from "../transcode/resolve-capabilities.ts";
import { needsStreamUsageOption, buildStreamUsageOption } from "../pass-through/hide-usage.ts";
import { parseCallBody } from "../call/parse-call-body.ts";
import type { TranscodeDependencies } from "../transcode/prepare-transcode.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import { locateNamedMemberSpans, type CallRequestBody } from "../call/read-call-body.ts";
import { wantsCompaction } from "../stored-responses/wants-compaction.ts";
import { rejectSurcharges } from "./reject-surcharges.ts";
import { rejectVendorSideState } from "./reject-vendor-side-state.ts";
import type { TargetedCall, VendorStatelessCreditsCall } from "./credits-call.ts";
import { prepareCreditsResponsesCall } from "./prepare-credits-response.ts";

/** Members that decide what is kept at the vendor and what it costs; the vendor must not read them otherwise. */
const decidingMembers = [
  "store",
  "metadata",
  "system",
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
  "service_tier",
  "speed",
  "inference_geo",
  "fallbacks",
  "models",
  "cache_control",
  "context_management",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
];

/**
 * Judges a call by what it would leave with the vendor or open there, and by what it would cost.
 * Throws 400 with the `param` for what cannot be had on credits. Only a call that refers to
 * kept turns waits for the database.
 */
export function prepareVendorStatelessCreditsCall(
  dependencies: TranscodeDependencies,
  asked: TargetedCall,
  { bytes, parsed }: Pick<CallRequestBody, "bytes" | "parsed">,
): MaybePromise<VendorStatelessCreditsCall> {
  const body = parsed ?? parseCallBody(bytes, asked.call.hold);
  const { dialect, isConversation } = asked.call.surface;
  locateNamedMemberSpans(bytes, decidingMembers);
  rejectVendorSideState(dialect, body);
  rejectSurcharges(body);
  if (asked.plan.lane === "transcode" || !isConversation) return { body, members: {} };
  if (wantsCompaction(asked.call.surface, body)) return { body, members: {}, isCompacted: true };
  switch (dialect) {
    case "dialect_chat":
      return prepareChatCall(asked, body);
    case "dialect_responses":
      return prepareCreditsResponsesCall(dependencies, asked, body);
    case "dialect_messages":
      return { body, members: {} };
  }
}

/** `metadata` is for finding what was stored, and refused where nothing is. */
function prepareChatCall(
  { response: answer, plan, target, isStrict }: TargetedCall,
  body: JsonObject,
): VendorStatelessCreditsCall {
  const { dialect, upstreamModel } = plan;
  const { firstParty, streamUsage } = resolveCapabilities(
    plan.target,
    target,
    dialect,
    upstreamModel,
  );
  const options =
    streamUsage && needsStreamUsageOption(body) ? buildStreamUsageOption(body) : undefined;
  const reader = new RequestFieldReader(body);
  // The vendor itself may store what it is not asked to; others may not know the word.
  if (reader.boolean("store") !== true) {
    return { body, members: firstParty ? { store: false } : {}, options };
  }
  const stored = ["store", "metadata"].filter((name) => reader.has(name));
  const ledger = new ConversionWarningCollector();
  for (const name of stored) ledger.drop(name, "unsupported");
  if (isStrict) throwOnFirstConversionWarning(ledger);
  answer.warnings = ledger.warnings;
  const members = { store: false, ...(reader.has("metadata") && { metadata: null }) };
  return { body, members, options };
}
