import { MalformedResponseError, type ResponseEncodingContext } from "../codec.ts";
import { getTokenUsageOrEstimate } from "../estimate-usage.ts";
import type { JsonObject } from "../json.ts";
import type { NeutralResponsePart, NeutralResponse } from "../neutral-response.ts";
import type { Citation, NeutralEnd } from "../neutral-event.ts";
import { JsonValueBudget } from "../value-limit.ts";
import { encodeMessagesFinishReason } from "./finish-reason.ts";
import { parseMessagesTruncatedObject } from "./parse-truncated.ts";
import { isThinkingHidden, buildMessagesThinkingSignature } from "./thinking-signature.ts";
import { encodeMessagesServiceTier, encodeMessagesUsage } from "./usage.ts";
import type { MessagesWireObject } from "./wire.ts";

/** The whole answer; the stream of the same events adds up to the same object. */
export function encodeMessagesResponse(
  answer: NeutralResponse,
  context: ResponseEncodingContext,
): JsonObject {
  const values = new JsonValueBudget();
  const content = answer.parts.flatMap((part) => encodePart(part, context, values));
  const usage = getTokenUsageOrEstimate(answer, context.estimatedInput);
  return {
    ...buildMessagesMessageHead(context),
    content,
    ...buildMessagesStopReasonMembers(answer.end),
    usage: { ...encodeMessagesUsage(usage), ...encodeMessagesServiceTier(answer.end?.tier) },
  };
}

/** What is known of a message before its content. */
export function buildMessagesMessageHead({
  id,
  request: turn,
}: ResponseEncodingContext): MessagesWireObject {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: turn.model,
    container: null,
    diagnostics: null,
  };
}

/** Why it ended; an answer without an end has no reason yet. */
export function buildMessagesStopReasonMembers(end: NeutralEnd | undefined): MessagesWireObject {
  const reason = end === undefined ? null : encodeMessagesFinishReason(end.reason);
  return {
    stop_reason: reason,
    stop_sequence: reason === "stop_sequence" ? (end?.stopSequence ?? null) : null,
    stop_details: end !== undefined && reason === "refusal" ? refusalDetails(end) : null,
  };
}

function refusalDetails({ category, explanation }: NeutralEnd): MessagesWireObject {
  return { type: "refusal", category: category ?? null, explanation: explanation ?? null };
}

function encodePart(
  part: NeutralResponsePart,
  context: ResponseEncodingContext,
  values: JsonValueBudget,
): readonly MessagesWireObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [textBlock(part.text, part.citations)];
    case "compaction":
      return [textBlock(part.text, [])];
    case "reasoning":
      return encodeReasoning(part, context);
    case "tool-call":
      return [
        { type: "tool_use", id: part.id, name: part.name, input: inputOf(part.arguments, values) },
      ];
  }
}

/** Without sources there is no list of them: clients refuse null in its place. */
function textBlock(text: string, citations: readonly Citation[]): MessagesWireObject {
  const block = { type: "text", text };
  return citations.length === 0
    ? block
    : { ...block, citations: citations.map(encodeMessagesCitation) };
}

/** A page that was cited. The vendor's index of it is its own secret and is not made up. */
export function encodeMessagesCitation({ url, title, citedText }: Citation): MessagesWireObject {
  return {
    type: "web_search_result_location",
    url,
    title,
    cited_text: citedText ?? "",
    encrypted_index: "",
  };
}

type Reasoning = Extract<NeutralResponsePart, { type: "reasoning" }>;

function encodeReasoning(
  part: Reasoning,
  context: ResponseEncodingContext,
): readonly MessagesWireObject[] {
  const { encrypted: seal, texts } = part;
  const said = texts.filter((text) => text !== "").join("\n\n");
  if (seal === undefined && said === "") return [];
  if (seal?.kind === "redacted" && said === "") {
    return [{ type: "redacted_thinking", data: seal.data }];
  }
  const thinking = isThinkingHidden(context.request) ? "" : said;
  return [
    { type: "thinking", thinking, signature: buildMessagesThinkingSignature(seal, texts, context) },
  ];
}

/** Arguments that a cap cut short are given as far as they came, as the client's stream reader does. */
function inputOf(text: string, values: JsonValueBudget): JsonObject {
  if (text.trim() === "") return {};
  values.take(text);
  const input = parseMessagesTruncatedObject(text);
  if (input === undefined)
    throw new MalformedResponseError("sent a call whose arguments are no JSON object");
  return input;
}
