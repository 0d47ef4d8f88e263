import type { ModelCapabilities } from "./capabilities.ts";
import type { ReasoningEffort } from "./neutral-request.ts";

/** Effort words of messages (`output_config.effort`). */
export type MessagesEffort = Exclude<ReasoningEffort, "none" | "minimal">;

/** Least budget that a vendor takes, in tokens. */
export const minReasoningBudget = 1024;

const budgets: Readonly<Record<Exclude<ReasoningEffort, "none">, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};

const order: readonly ReasoningEffort[] = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

/** Whether a text is an effort word; unknown ones come from clients newer than this code. */
export function isReasoningEffort(text: string): text is ReasoningEffort {
  return (order as readonly string[]).includes(text);
}

/** Thinking tokens for an effort; undefined for `none`: do not think. */
export function effortToBudget(effort: ReasoningEffort): number | undefined {
  return effort === "none" ? undefined : budgets[effort];
}

/** The effort that a budget comes nearest to. */
export function budgetToEffort(tokens: number): Exclude<ReasoningEffort, "none" | "max"> {
  if (tokens < budgets.low) return "minimal";
  if (tokens < budgets.medium) return "low";
  if (tokens < budgets.high) return "medium";
  return tokens < budgets.xhigh ? "high" : "xhigh";
}

/**
 * A budget below the cap of the answer, which thinking counts against: one that
 * would fill the cap leaves room for 1024 tokens of answer where it can.
 * Undefined: under this cap there can be no thinking.
 */
export function clampReasoningBudget(cap: number, budget: number): number | undefined {
  if (cap <= minReasoningBudget) return undefined;
  const wanted = Math.max(minReasoningBudget, budget);
  return wanted < cap ? wanted : Math.max(minReasoningBudget, cap - minReasoningBudget);
}

/** The nearest effort that a chat or responses upstream takes; compare to know whether it changed. */
export function clampEffort(
  effort: ReasoningEffort,
  capabilities: ModelCapabilities,
): ReasoningEffort {
  if (effort === "none") return effort;
  if (effort === "minimal") return capabilities.hasLowEfforts ? effort : "low";
  return clipHigh(effort, capabilities);
}

/** The effort word for a messages upstream; `none` has none there: thinking is disabled. */
export function toMessagesEffort(
  effort: Exclude<ReasoningEffort, "none">,
  capabilities: ModelCapabilities,
): MessagesEffort {
  return effort === "minimal" ? "low" : clipHigh(effort, capabilities);
}

function clipHigh(effort: MessagesEffort, capabilities: ModelCapabilities): MessagesEffort {
  const { highestEffort, lacksXhigh } = capabilities;
  if (order.indexOf(effort) > order.indexOf(highestEffort)) return highestEffort;
  return effort === "xhigh" && lacksXhigh === true ? "max" : effort;
}
