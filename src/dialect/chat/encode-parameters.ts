import { shortenEndUserId } from "../end-user.ts";
import { withoutUndefined } from "../json.ts";
import { clampEffort, budgetToEffort } from "../reasoning-effort.ts";
import { isStrictChatSchema } from "../strict-schema.ts";
import type {
  ValueWithPath,
  StructuredOutputFormat,
  ReasoningControl,
  ReasoningEffort,
} from "../neutral-request.ts";
import { maxChatStopSequences, type ChatWireObject } from "./wire.ts";
import type { ChatRequestEncodingContext } from "./encoding-context.ts";

/** Sampling, limits and the rest that is one value each; undefined: it is not sent. */
export function encodeChatParameters(writing: ChatRequestEncodingContext): ChatWireObject {
  const { request: turn, capabilities } = writing;
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, seed } = turn.sampling;
  const { sampling, topK: hasTopK } = capabilities;
  return {
    response_format: encodeFormat(turn.format, writing),
    reasoning_effort: encodeReasoning(turn.reasoning, writing),
    verbosity: turn.verbosity?.value,
    [capabilities.maxTokensField]: encodeLimit(writing),
    temperature: take(temperature, sampling, writing),
    top_p: take(topP, sampling, writing),
    top_k: hasTopK ? take(topK, sampling, writing) : drop(topK, writing),
    presence_penalty: take(presencePenalty, sampling, writing),
    frequency_penalty: take(frequencyPenalty, sampling, writing),
    seed: seed?.value,
    stop: encodeStop(writing),
    logprobs: turn.logprobs === undefined ? undefined : true,
    top_logprobs: turn.logprobs?.value.top,
    [userName(writing)]: encodeUser(writing),
    metadata: encodeMetadata(writing),
    service_tier: encodeServiceTier(writing),
  };
}

function encodeLimit({
  request: turn,
  warnings: ledger,
}: ChatRequestEncodingContext): number | undefined {
  const limit = turn.maxOutputTokens;
  if (limit === undefined) return undefined;
  if (limit.value <= 0) ledger.reject(limit.path, "This upstream has no answers of 0 tokens.");
  return limit.value;
}

function take(
  value: ValueWithPath<number> | undefined,
  isTaken: boolean,
  { warnings: ledger }: ChatRequestEncodingContext,
): number | undefined {
  if (value !== undefined && !isTaken) ledger.drop(value.path, "model");
  return isTaken ? value?.value : undefined;
}

function drop(
  value: ValueWithPath<number> | undefined,
  { warnings: ledger }: ChatRequestEncodingContext,
): undefined {
  if (value !== undefined) ledger.drop(value.path, "unsupported");
}

function encodeStop({
  request: turn,
  warnings: ledger,
}: ChatRequestEncodingContext): readonly string[] | undefined {
  const { stop } = turn;
  if (stop === undefined || stop.value.length === 0) return undefined;
  if (stop.value.length <= maxChatStopSequences) return stop.value;
  return ledger.reject(
    stop.path,
    `This upstream takes at most ${maxChatStopSequences} stop sequences.`,
  );
}

/** Messages enforces every schema; chat can do so only where nothing in it is optional. */
function encodeFormat(
  format: StructuredOutputFormat | undefined,
  writing: ChatRequestEncodingContext,
): unknown {
  if (format === undefined) return undefined;
  if (format.kind === "json") return { type: "json_object" };
  const { name = "response", description, schema } = format;
  const strict = encodeStrict(format, writing);
  return {
    type: "json_schema",
    json_schema: withoutUndefined({ name, description, schema, strict }),
  };
}

function encodeStrict(
  { path, strict, schema }: Extract<StructuredOutputFormat, { kind: "schema" }>,
  { request: turn, warnings: ledger }: ChatRequestEncodingContext,
): boolean | undefined {
  if (turn.origin !== "dialect_messages") return strict;
  const isStrict = isStrictChatSchema(schema);
  if (!isStrict) ledger.approximate(path, "schema");
  return isStrict;
}

function encodeReasoning(
  control: ReasoningControl | undefined,
  writing: ChatRequestEncodingContext,
): ReasoningEffort | undefined {
  if (control === undefined) return undefined;
  const wanted = control.mode === "disabled" ? "none" : wantedEffort(control, writing);
  if (wanted === undefined) return undefined;
  const effort = clampEffort(wanted, writing.capabilities);
  if (effort === "none" && !takesNone(control, writing)) {
    writing.warnings.drop(control.path, "unsupported");
    return undefined;
  }
  if (effort !== wanted) writing.warnings.approximate(control.path, "range");
  return effort;
}

/** Budgets are told in words; the least one only to a server that is known to have it. */
function wantedEffort(
  { path, effort, budgetTokens }: ReasoningControl,
  { capabilities, warnings: ledger }: ChatRequestEncodingContext,
): ReasoningEffort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort;
  ledger.approximate(path, "unsupported");
  const nearest = budgetToEffort(budgetTokens);
  return nearest === "minimal" && !capabilities.firstParty ? "low" : nearest;
}

/** The word was asked for, or the server is known to have it. */
function takesNone(
  { mode }: ReasoningControl,
  { capabilities }: ChatRequestEncodingContext,
): boolean {
  return capabilities.hasLowEfforts && (mode !== "disabled" || capabilities.firstParty);
}

function encodeUser({
  request: turn,
  warnings: ledger,
}: ChatRequestEncodingContext): string | undefined {
  const { user, origin } = turn;
  if (user === undefined || origin === "dialect_chat") return user?.value;
  return shortenEndUserId(user, ledger);
}

function userName({
  request: turn,
  capabilities,
}: ChatRequestEncodingContext): "safety_identifier" | "user" {
  const isNewer =
    turn.origin === "dialect_chat"
      ? turn.user?.path === "safety_identifier"
      : capabilities.firstParty;
  return isNewer ? "safety_identifier" : "user";
}

/** A caller of responses gets its own back in the answer, whatever becomes of it here. */
function encodeMetadata({
  request: turn,
  capabilities,
  warnings: ledger,
}: ChatRequestEncodingContext): unknown {
  const { metadata } = turn;
  if (metadata === undefined) return undefined;
  if (turn.origin === "dialect_chat" || capabilities.firstParty) return metadata.value;
  ledger.drop(metadata.path, "unsupported");
  return undefined;
}

function encodeServiceTier({
  request: turn,
  warnings: ledger,
}: ChatRequestEncodingContext): string | undefined {
  const { serviceTier: tier } = turn;
  if (tier === undefined) return undefined;
  if (tier.value === "standard_only") return "default";
  if (tier.value !== "ultrafast") return tier.value;
  ledger.drop(tier.path, "unsupported");
  return undefined;
}
