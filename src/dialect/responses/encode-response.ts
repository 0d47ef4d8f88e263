import type { ResponseEncodingContext } from "../codec.ts";
import { getTokenUsageOrEstimate } from "../estimate-usage.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralResponsePart, NeutralResponse } from "../neutral-response.ts";
import type { NeutralEnd, NeutralError } from "../neutral-event.ts";
import { toResponsesResponseErrorCode } from "./error.ts";
import { encodeResponsesFinishReason } from "./finish-reason.ts";
import { toolKindToCallIdPrefix, ResponsesOutputItemIdGenerator } from "./item-ids.ts";
import {
  buildResponsesToolCallItem,
  buildResponsesCompactionItem,
  buildResponsesOutputContentPart,
  type ResponsesOutputItemStatus,
  buildResponsesMessageItem,
  buildResponsesReasoningItem,
} from "./output-items.ts";
import { readResponsesReasoningVisibility } from "./reasoning-visibility.ts";
import {
  buildResponsesCompactedResponse,
  buildResponsesResponseObject,
} from "./response-object.ts";

/** The whole response of an answer; one that failed or never ended has the status `failed`. */
export function encodeResponsesResponse(
  answer: NeutralResponse,
  context: ResponseEncodingContext,
): JsonObject {
  const { end, error } = answer;
  const output = encodeResponsesOutputItems(answer, context);
  if (end === undefined || error !== undefined) {
    const { usage } = answer;
    const told = failure(error);
    return buildResponsesResponseObject(context, {
      status: "failed",
      output,
      usage,
      reason: null,
      error: told,
    });
  }
  const { status, reason } = encodeResponsesFinishReason(end.reason);
  const usage = getTokenUsageOrEstimate(answer, context.estimatedInput);
  if (context.isCompaction === true) return buildResponsesCompactedResponse(context, output, usage);
  const { tier } = end;
  return buildResponsesResponseObject(context, {
    status,
    output,
    usage,
    tier,
    reason,
    error: null,
  });
}

/** The output items of an answer. */
export function encodeResponsesOutputItems(
  answer: NeutralResponse,
  context: ResponseEncodingContext,
): readonly JsonObject[] {
  const { parts, end, error } = answer;
  if (end === undefined || error !== undefined) return outputItems(parts, "incomplete", context);
  const { status } = encodeResponsesFinishReason(end.reason);
  return outputItems([...parts, ...refusalDetails(parts, end)], status, context);
}

function failure(error: NeutralError | undefined) {
  const message = error?.message ?? "The upstream broke off in the middle of its answer.";
  return { code: toResponsesResponseErrorCode(error?.code), message };
}

/** A vendor that refuses in a field of its own says here why, where this dialect's clients look. */
function refusalDetails(
  parts: readonly NeutralResponsePart[],
  end: NeutralEnd,
): readonly NeutralResponsePart[] {
  const isTold = parts.some(({ type }) => type === "refusal");
  if (end.reason !== "refusal" || end.explanation === undefined || isTold) return [];
  return [{ type: "refusal", text: end.explanation, logprobs: [], citations: [] }];
}

type TextAnswer = Extract<NeutralResponsePart, { type: "text" | "refusal" }>;
type OtherAnswer = Exclude<NeutralResponsePart, TextAnswer>;
type Group = { readonly texts: TextAnswer[] } | { readonly part: OtherAnswer };

/** Only the last item can be cut: what came before it was complete when it began. */
function outputItems(
  parts: readonly NeutralResponsePart[],
  last: ResponsesOutputItemStatus,
  context: ResponseEncodingContext,
): readonly JsonObject[] {
  const isHidden = readResponsesReasoningVisibility(context.request) === "hidden";
  const groups = groupParts(parts.filter(({ type }) => !isHidden || type !== "reasoning"));
  const ids = new ResponsesOutputItemIdGenerator(context.id);
  return groups.map((group, index) =>
    outputItem(group, index === groups.length - 1 ? last : "completed", ids, context),
  );
}

/** A run of texts is one message, each text a part of its own. */
function groupParts(parts: readonly NeutralResponsePart[]): readonly Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (isOther(part)) groups.push({ part });
    else if (last !== undefined && "texts" in last) last.texts.push(part);
    else groups.push({ texts: [part] });
  }
  return groups;
}

function isOther(part: NeutralResponsePart): part is OtherAnswer {
  return part.type !== "text" && part.type !== "refusal";
}

function outputItem(
  group: Group,
  status: ResponsesOutputItemStatus,
  ids: ResponsesOutputItemIdGenerator,
  context: ResponseEncodingContext,
): JsonObject {
  if ("texts" in group)
    return buildResponsesMessageItem(
      ids.next("msg"),
      status,
      group.texts.map(buildResponsesOutputContentPart),
    );
  const { part } = group;
  if (part.type === "reasoning")
    return encodeResponsesReasoningOutputItem(part, ids.next("rs"), status, context);
  if (part.type === "compaction") return buildResponsesCompactionItem(ids.next("cmp"), part.text);
  const { id: callId, ...call } = part;
  return buildResponsesToolCallItem(ids.next(toolKindToCallIdPrefix(call.kind)), status, {
    ...call,
    callId,
  });
}

type ReasoningAnswer = Extract<NeutralResponsePart, { type: "reasoning" }>;

/** The reasoning item that the caller asked for; `encrypted_content` is an envelope of ours. */
export function encodeResponsesReasoningOutputItem(
  { texts, encrypted: seal }: Pick<ReasoningAnswer, "texts" | "encrypted">,
  id: string,
  status: ResponsesOutputItemStatus,
  { request: turn, envelope }: ResponseEncodingContext,
): JsonObject {
  const isSealed = seal !== undefined && turn.reasoning?.wantsEncrypted === true;
  const summary = readResponsesReasoningVisibility(turn) === "summaries" ? texts : [];
  return buildResponsesReasoningItem(
    id,
    status,
    summary,
    isSealed ? envelope.seal(seal, texts) : undefined,
  );
}
