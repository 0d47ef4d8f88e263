import { lookupTable } from "../../platform/lookup-table.ts";
import { withoutUndefined } from "../json.ts";
import { clipEffort, effortOfBudget } from "../reasoning-levels.ts";
import { isStrictSchema } from "../strict-schema.ts";
import type { OutputFormat, ReasoningControl, ReasoningEffort } from "../turn.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** `text`: the format, flat here where chat nests it, and how wordy to be. */
export function encodeTextControls(writing: Writing): WireObject | undefined {
  const { format, verbosity } = writing.turn;
  const text = withoutUndefined({
    format: format === undefined ? undefined : encodeFormat(format, writing),
    verbosity: verbosity?.value,
  });
  return Object.keys(text).length === 0 ? undefined : text;
}

function encodeFormat(format: OutputFormat, { turn }: Writing): WireObject {
  if (format.kind === "json") return { type: "json_object" };
  const { name = "response", description, schema } = format;
  const isUnsaid = format.strict === undefined && turn.origin === "dialect_messages";
  const strict = isUnsaid ? isStrictSchema(schema) : format.strict;
  return withoutUndefined({ type: "json_schema", name, description, schema, strict });
}

/** `reasoning`; undefined leaves it to the model. */
export function encodeReasoning(writing: Writing): WireObject | undefined {
  const { reasoning } = writing.turn;
  if (reasoning === undefined) return undefined;
  const control = withoutUndefined({
    effort: encodeEffort(reasoning, writing),
    summary: summaryOf(reasoning),
  });
  return Object.keys(control).length === 0 ? undefined : control;
}

function encodeEffort(
  reasoning: ReasoningControl,
  { turn, capabilities, ledger }: Writing,
): ReasoningEffort | undefined {
  const wanted = effortOf(reasoning);
  if (wanted === undefined || turn.origin === "dialect_responses") return wanted;
  const effort = clipEffort(wanted, capabilities);
  if (effort !== wanted) ledger.approximate(reasoning.path, "model");
  return effort;
}

/** Thinking that is switched off is left to the model: few take `none`. */
function effortOf({ mode, effort, budgetTokens }: ReasoningControl): ReasoningEffort | undefined {
  switch (mode) {
    case "budget":
      return effort ?? effortOfBudget(budgetTokens ?? 0);
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
export function encodeIncludes(writing: Writing): readonly unknown[] {
  const { turn } = writing;
  const others = turn.extras.find(({ name }) => name === "include")?.value;
  return [
    ...(wantsSeal(writing) ? ["reasoning.encrypted_content"] : []),
    ...(turn.logprobs === undefined ? [] : ["message.output_text.logprobs"]),
    ...(turn.origin === "dialect_responses" && Array.isArray(others) ? others : []),
  ];
}

/**
 * A model that does not think refuses to be asked for its thoughts. Of the
 * vendor's own, those think by themselves that take no sampling: without their
 * thoughts a loop of calls would begin anew with every result.
 */
function wantsSeal({ turn, capabilities }: Writing): boolean {
  const { reasoning, origin } = turn;
  if (reasoning === undefined) {
    return origin !== "dialect_responses" && capabilities.firstParty && !capabilities.sampling;
  }
  return reasoning.wantsSeal && reasoning.mode !== "disabled" && reasoning.effort !== "none";
}

/** Least cap that the vendor takes, in tokens (not confirmed against the vendor). */
const leastCap = 16;

/** `max_output_tokens`; a cap of nothing would only warm a cache, which this dialect cannot. */
export function encodeCap({ turn, ledger }: Writing): number | undefined {
  const cap = turn.maxOutputTokens;
  if (cap === undefined || turn.origin === "dialect_responses") return cap?.value;
  if (cap.value < 1) ledger.refuse(cap.path, `\`${cap.path}\` must be at least 1.`);
  if (cap.value < leastCap) ledger.approximate(cap.path, "range");
  return Math.max(cap.value, leastCap);
}

/** Temperature and top_p; all else that shapes the choice of tokens has no word here. */
export function encodeSampling({ turn, capabilities, ledger }: Writing): WireObject {
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

const tiers = lookupTable<string>({ auto: "auto", standard_only: "default" });

/** The tiers of messages are two words of its own. */
export function encodeTier({ turn, ledger }: Writing): string | undefined {
  const tier = turn.serviceTier;
  if (tier === undefined || turn.origin !== "dialect_messages") return tier?.value;
  const word = tiers.get(tier.value);
  if (word === undefined) ledger.drop(tier.path, "unsupported");
  return word;
}
