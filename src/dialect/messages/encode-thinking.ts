import {
  clampReasoningBudget,
  effortToBudget,
  budgetToEffort,
  toMessagesEffort,
  type MessagesEffort,
} from "../reasoning-effort.ts";
import type { ConversionWarningReason } from "../conversion-warning.ts";
import type { ReasoningControl, ReasoningEffort, NeutralMessage } from "../neutral-request.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** How the model is told to think. */
export interface MessagesEncodedThinkingConfig {
  readonly thinking?: MessagesWireObject;
  /** `output_config.effort`. */
  readonly effort?: MessagesEffort | ReasoningEffort;
  /** It thinks, so that sampling is out of the question. */
  readonly isThinking: boolean;
}

/** What decides about thinking beside the caller's wish. */
export interface MessagesThinkingConstraints {
  /** `max_tokens`, which thinking counts against. */
  readonly maxTokens: number;
  /** A call is forced, which the vendor does not take together with thinking. */
  readonly isForced: boolean;
  /** The caller began the answer, which the vendor does not take either. */
  readonly isPrefilled: boolean;
}

const silent: MessagesEncodedThinkingConfig = { isThinking: false };

/** The caller's wish in the words of the model: a budget, an effort, or nothing. */
export function encodeMessagesThinking(
  writing: MessagesRequestEncodingContext,
  situation: MessagesThinkingConstraints,
): MessagesEncodedThinkingConfig {
  const control = writing.request.reasoning;
  if (control === undefined) return silent;
  if (writing.request.origin === "dialect_messages") return nativeThinking(control);
  const effort = effortOf(control);
  if (effort === undefined) return silent;
  if (writing.capabilities.thinking === "none") {
    return effort === "none" ? silent : drop(writing, control, "model");
  }
  if (effort === "none") return { thinking: { type: "disabled" }, isThinking: false };
  const conflict = conflictOf(writing, situation);
  if (conflict !== undefined) return drop(writing, control, conflict);
  return writing.capabilities.thinking === "adaptive"
    ? adaptive(writing, control, effort)
    : encodeBudget(writing, control, effort, situation.maxTokens);
}

/** As it was said; the caller answers for what fits together. */
function nativeThinking(control: ReasoningControl): MessagesEncodedThinkingConfig {
  const effort = control.effort === undefined ? {} : { effort: control.effort };
  if (control.path !== "thinking") return { ...silent, ...effort };
  return { ...silent, thinking: nativeWords(control), ...effort };
}

function nativeWords({ mode, budgetTokens, summary }: ReasoningControl): MessagesWireObject {
  const type = mode === "budget" ? "enabled" : mode === "disabled" ? "disabled" : "adaptive";
  return {
    type,
    ...(budgetTokens === undefined ? {} : { budget_tokens: budgetTokens }),
    ...(summary === undefined ? {} : { display: summary }),
  };
}

/** Undefined: nothing was said of how hard to think. */
function effortOf(control: ReasoningControl): ReasoningEffort | undefined {
  if (control.mode === "disabled") return "none";
  if (control.mode === "budget") return budgetToEffort(control.budgetTokens ?? 0);
  return control.effort;
}

function drop(
  { warnings: ledger }: MessagesRequestEncodingContext,
  { path }: ReasoningControl,
  reason: ConversionWarningReason,
) {
  ledger.drop(path, reason);
  return silent;
}

function conflictOf(
  writing: MessagesRequestEncodingContext,
  { maxTokens: cap, isForced, isPrefilled }: MessagesThinkingConstraints,
) {
  const { messages } = writing.request;
  if (isForced || isPrefilled) return "conflict";
  if (writing.capabilities.thinking === "adaptive") return undefined;
  if (clampReasoningBudget(cap, 0) === undefined) return "range";
  return lacksThinking(messages) ? "conflict" : undefined;
}

/** With a budget, the calls that are being answered must have their thinking before them. */
function lacksThinking(messages: readonly NeutralMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === "user" || role === "assistant");
  if (last?.role !== "assistant") return false;
  const { parts } = last;
  const isOwn = parts.some(
    (part) => part.type === "reasoning" && part.encrypted?.dialect === "dialect_messages",
  );
  return parts.some((part) => part.type === "tool-call") && !isOwn;
}

function adaptive(
  writing: MessagesRequestEncodingContext,
  control: ReasoningControl,
  effort: Exclude<ReasoningEffort, "none">,
): MessagesEncodedThinkingConfig {
  const word = toMessagesEffort(effort, writing.capabilities);
  if (word !== effort) writing.warnings.approximate(control.path, "range");
  const display = control.summary === undefined ? {} : { display: "summarized" };
  return { thinking: { type: "adaptive", ...display }, effort: word, isThinking: true };
}

function encodeBudget(
  writing: MessagesRequestEncodingContext,
  control: ReasoningControl,
  effort: ReasoningEffort,
  cap: number,
): MessagesEncodedThinkingConfig {
  const wanted = control.budgetTokens ?? effortToBudget(effort) ?? 0;
  const budget = clampReasoningBudget(cap, wanted);
  if (budget === undefined) return drop(writing, control, "range");
  if (budget !== wanted) writing.warnings.approximate(control.path, "range");
  return { thinking: { type: "enabled", budget_tokens: budget }, isThinking: true };
}
