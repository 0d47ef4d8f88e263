import { recordToMap } from "../../platform/lookup-table.ts";
import { withoutUndefined } from "../json.ts";
import { clampEffort, budgetToEffort } from "../reasoning-effort.ts";
import { isStrictChatSchema } from "../strict-schema.ts";
import type {
  StructuredOutputFormat,
  ReasoningControl,
  ReasoningEffort,
} from "../neutral-request.ts";
import type { ResponsesWireObject } from "./wire.ts";
import type { ResponsesRequestEncodingContext } from "./encoding-context.ts";

/** `text`: the format, flat here where chat nests it, and how wordy to be. */
export function encodeResponsesTextControls(
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject | undefined {
  const { format, verbosity } = writing.request;
  const text = withoutUndefined({
    format: format === undefined ? undefined : encodeFormat(format, writing),
    verbosity: verbosity?.value,
  });
  return Object.keys(text).length === 0 ? undefined : text;
}

function encodeFormat(
  format: StructuredOutputFormat,
  { request: turn }: ResponsesRequestEncodingContext,
): ResponsesWireObject {
  if (format.kind === "json") return { type: "json_object" };
  const { name = "response", description, schema } = format;
  const isUnsaid = format.strict === undefined && turn.origin === "dialect_messages";
  const strict = isUnsaid ? isStrictChatSchema(schema) : format.strict;
  return withoutUndefined({ type: "json_schema", name, description, schema, strict });
}

/** `reasoning`; undefined leaves it to the model. */
export function encodeResponsesReasoningControl(
  writing: ResponsesRequestEncodingContext,
): ResponsesWireObject | undefined {
  const { reasoning } = writing.request;
  if (reasoning === undefined) return undefined;
  const control = withoutUndefined({
    effort: encodeEffort(reasoning, writing),
    summary: summaryOf(reasoning),
  });
  return Object.keys(control).length === 0 ? undefined : control;
}

function encodeEffort(
  reasoning: ReasoningControl,
  { request: turn, capabilities, warnings: ledger }: ResponsesRequestEncodingContext,
): ReasoningEffort | undefined {
  const wanted = effortOf(reasoning);
  if (wanted === undefined || turn.origin === "dialect_responses") return wanted;
  const effort = clampEffort(wanted, capabilities);
  if (effort !== wanted) ledger.approximate(reasoning.path, "model");
  return effort;
}

/** Thinking that is switched off is left to the model: few take `none`. */
function effortOf({ mode, effort, budgetTokens }: ReasoningControl): ReasoningEffort | undefined {
  switch (mode) {
    case "budget":
      return effort ?? budgetToEffort(budgetTokens ?? 0);
    case "effort":
    case "adaptive":
      return effort;
    case "disabled":
    case "default":
      return undefined;
  }
}

/** Callers of messages see thoughts unless they switch them off; here they must be asked for. */
function summaryOf({ summary, path, mode }: ReasoningControl): string | undefined {
  if (summary === "omitted" || mode === "disabled") return undefined;
  if (summary === "summarized" || (summary === undefined && path === "thinking")) return "auto";
  return summary;
}

/** What must be asked for to come: thoughts that can be sent back, and probabilities. */
export function encodeResponsesIncludes(
  writing: ResponsesRequestEncodingContext,
): readonly unknown[] {
  const { request: turn } = writing;
  const others = turn.extras.find(({ name }) => name === "include")?.value;
  return [
    ...(wantsEncrypted(writing) ? ["reasoning.encrypted_content"] : []),
    ...(turn.logprobs === undefined ? [] : ["message.output_text.logprobs"]),
    ...(turn.origin === "dialect_responses" && Array.isArray(others) ? others : []),
  ];
}

/**
 * A model that does not think refuses to be asked for its thoughts. Of the
 * vendor's own, those think by themselves that take no sampling: without their
 * thoughts a loop of calls would begin anew with every result.
 */
function wantsEncrypted({ request: turn, capabilities }: ResponsesRequestEncodingContext): boolean {
  const { reasoning, origin } = turn;
  if (reasoning === undefined) {
    return origin !== "dialect_responses" && capabilities.firstParty && !capabilities.sampling;
  }
  return reasoning.wantsEncrypted && reasoning.mode !== "disabled" && reasoning.effort !== "none";
}

/** Least cap that the vendor takes, in tokens (not confirmed against the vendor). */
const minMaxOutputTokens = 16;

/** `max_output_tokens`; a cap of nothing would only warm a cache, which this dialect cannot. */
export function encodeResponsesMaxOutputTokens({
  request: turn,
  warnings: ledger,
}: ResponsesRequestEncodingContext): number | undefined {
  const cap = turn.maxOutputTokens;
  if (cap === undefined || turn.origin === "dialect_responses") return cap?.value;
  if (cap.value < 1) ledger.reject(cap.path, `\`${cap.path}\` must be at least 1.`);
  if (cap.value < minMaxOutputTokens) ledger.approximate(cap.path, "range");
  return Math.max(cap.value, minMaxOutputTokens);
}

/** Temperature and top_p; all else that shapes the choice of tokens has no word here. */
export function encodeResponsesSampling({
  request: turn,
  capabilities,
  warnings: ledger,
}: ResponsesRequestEncodingContext): ResponsesWireObject {
  const { temperature, topP, ...others } = turn.sampling;
  for (const other of Object.values(others)) {
    if (other !== undefined) ledger.drop(other.path, "unsupported");
  }
  if (capabilities.sampling || turn.origin === "dialect_responses") {
    return withoutUndefined({ temperature: temperature?.value, top_p: topP?.value });
  }
  for (const dropped of [temperature, topP]) {
    if (dropped !== undefined) ledger.drop(dropped.path, "model");
  }
  return {};
}

const tiers = recordToMap<string>({ auto: "auto", standard_only: "default" });

/** The tiers of messages are two words of its own. */
export function encodeResponsesServiceTier({
  request: turn,
  warnings: ledger,
}: ResponsesRequestEncodingContext): string | undefined {
  const tier = turn.serviceTier;
  if (tier === undefined || turn.origin !== "dialect_messages") return tier?.value;
  const word = tiers.get(tier.value);
  if (word === undefined) ledger.drop(tier.path, "unsupported");
  return word;
}
