import type { ModelCapabilities } from "../../dialect/capabilities.ts";
import type { ResolvedUpstream } from "../upstream/call-target.ts";

/**
 * What first refusals have taught of an upstream and model, for an hour: an upstream gets better,
 * and without the option its usage is an estimate. A change or a probe of the endpoint ends it
 * before, because its target is made anew then.
 */
export interface LearnedCapabilities extends Partial<
  Pick<ModelCapabilities, "streamUsage" | "maxTokensField">
> {
  /** Whether responses may be asked for thoughts that can be sent back; of what is passed through. */
  readonly encryptedReasoning?: boolean;
}

/** Of almost every model. */
export const noLearnedCapabilities: LearnedCapabilities = {};

interface Remembered {
  readonly lessons: LearnedCapabilities;
  /** `performance.now()`; what is learned later ends with the first lesson. */
  readonly until: number;
}

const hour = 60 * 60_000;

const learned = new WeakMap<ResolvedUpstream, Map<string, Remembered>>();

/** Models of one upstream that are remembered; an upstream with more teaches again. */
const maxModels = 1000;

/** What is remembered of a model of this upstream. */
export function getLearnedCapabilities(
  target: ResolvedUpstream,
  model: string,
): LearnedCapabilities {
  return rememberedOf(target, model)?.lessons ?? noLearnedCapabilities;
}

function rememberedOf(target: ResolvedUpstream, model: string): Remembered | undefined {
  const remembered = learned.get(target)?.get(model);
  return remembered !== undefined && performance.now() < remembered.until ? remembered : undefined;
}

/**
 * Remembers for an hour that an upstream refused a request with an option that the gateway had
 * added, and accepted the same request without. A refusal alone shows nothing, because its text may
 * quote what the caller sent.
 */
export function rememberCapabilities(
  target: ResolvedUpstream,
  model: string,
  lesson: LearnedCapabilities,
): void {
  const models = learned.get(target) ?? new Map<string, Remembered>();
  learned.set(target, models);
  const before = rememberedOf(target, model);
  if (models.size >= maxModels) models.clear();
  const until = before?.until ?? performance.now() + hour;
  models.set(model, { lessons: { ...before?.lessons, ...lesson }, until });
}

/** Not of thoughts that were sent, which are the caller's. */
function rejectsReasoning(refusal: string): boolean {
  const start = refusal.search(/encrypted.content|\binclude\b/is);
  const words = /support|unknown|unrecogni[sz]ed|unexpected|permitted/i;
  return start !== -1 && words.test(refusal.slice(start));
}

/**
 * Reads from a 400 that the upstream does not accept an option which the gateway has added: the
 * request is sent once more without. Undefined: the refusal is about something else, and the
 * caller gets it.
 */
export function learnCapabilitiesFromRefusal(
  sent: LearnedCapabilities,
  refusal: string,
): LearnedCapabilities | undefined {
  if (sent.streamUsage && /stream_options|include_usage/.test(refusal)) {
    return { streamUsage: false };
  }
  if (sent.encryptedReasoning && rejectsReasoning(refusal)) return { encryptedReasoning: false };
  if (sent.maxTokensField === "max_tokens" && /max_completion_tokens/.test(refusal)) {
    return { maxTokensField: "max_completion_tokens" };
  }
  if (sent.maxTokensField === "max_completion_tokens" && /max_completion_tokens/.test(refusal)) {
    return { maxTokensField: "max_tokens" };
  }
  return undefined;
}
