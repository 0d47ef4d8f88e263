import { asString } from "../json.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import type { RequestDecodingContext } from "../codec.ts";
import type { HistoryToolCall } from "../cached-reasoning.ts";
import type { NeutralPart, ReasoningPart, NeutralMessage } from "../neutral-request.ts";

/**
 * What an assistant message says that the model thought: sealed entries, ours as
 * `reasoning_details` or in the form of another gateway as `thinking_blocks`; of a
 * caller who knows neither, what is remembered of its calls; else the plain text.
 * An entry without a seal of ours is lost: nobody could vouch for it at its vendor.
 */
export function decodeChatReasoningParts(
  item: RequestFieldReader,
  calls: readonly HistoryToolCall[],
  context: RequestDecodingContext,
): readonly ReasoningPart[] {
  const entries = [...item.objects("reasoning_details"), ...item.objects("thinking_blocks")];
  const sealed = entries.flatMap((entry) => decodeEntry(entry, context));
  if (sealed.length > 0) return sealed;
  const remembered = entries.some(isSealed) ? [] : cachedParts(item, calls, context);
  return remembered.length > 0 ? remembered : decodePlain(item);
}

/** Whether the caller sends back what it was given to send back, or somebody's like of it. */
function isSealed(entry: RequestFieldReader): boolean {
  return envelopeIn(entry) !== undefined;
}

function envelopeIn({ value }: RequestFieldReader): string | undefined {
  return asString(value["signature"]) ?? asString(value["data"]);
}

/** Thoughts stand before the first call of their answer. */
function cachedParts(
  item: RequestFieldReader,
  [call]: readonly HistoryToolCall[],
  { reasoning: thoughts, envelope, warnings: ledger }: RequestDecodingContext,
): readonly ReasoningPart[] {
  const path = item.pathOf("reasoning_details");
  const sealed = call && thoughts?.take(call);
  if (sealed === undefined) {
    if (call !== undefined && thoughts?.has(call) === true) ledger.drop(path, "forgotten");
    return [];
  }
  return sealed.flatMap((text) => {
    const opened = envelope.open(text);
    if (opened !== undefined)
      return [
        { type: "reasoning", path, texts: opened.texts, encrypted: opened.encryptedReasoning },
      ];
    ledger.drop(path, text === "" ? "limit" : "foreign");
    return [];
  });
}

/**
 * A model that is to go on thinking behind its calls has its thoughts no more: they
 * were not sent back, and are not remembered, or not here. Earlier turns are over.
 */
export function warnAboutChatMissingReasoning(
  messages: readonly NeutralMessage[],
  { reasoning: thoughts, warnings: ledger }: RequestDecodingContext,
): void {
  const current = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  for (const { parts, path } of current) {
    const call = parts.find((part) => part.type === "tool-call");
    if (call === undefined || parts.some(isSigned)) continue;
    if (thoughts?.has(call) !== true) ledger.drop(`${path}.reasoning_details`, "forgotten");
  }
}

function isSigned(part: NeutralPart): boolean {
  return part.type === "reasoning" && part.encrypted?.dialect !== "dialect_chat";
}

function decodeEntry(
  entry: RequestFieldReader,
  context: RequestDecodingContext,
): readonly ReasoningPart[] {
  const envelope = envelopeIn(entry);
  const opened = envelope === undefined ? undefined : context.envelope.open(envelope);
  if (opened !== undefined) {
    return [
      {
        type: "reasoning",
        path: entry.path,
        texts: opened.texts,
        encrypted: opened.encryptedReasoning,
      },
    ];
  }
  // Readable text alone is in the plain field, too.
  if (envelope !== undefined) context.warnings.drop(entry.path, "foreign");
  return [];
}

/** Words that nobody signed belong to chat upstreams. */
function decodePlain(item: RequestFieldReader): readonly ReasoningPart[] {
  const field = ["reasoning_content", "reasoning"].find((name) => asString(item.value[name]));
  const text = field === undefined ? unsignedWords(item) : (item.string(field) ?? "");
  if (text === "") return [];
  const path = item.pathOf(field ?? "reasoning_details");
  return [
    {
      type: "reasoning",
      path,
      texts: [text],
      encrypted: { dialect: "dialect_chat", kind: "plain" },
    },
  ];
}

/** Of servers that have no plain field beside their details. */
function unsignedWords(item: RequestFieldReader): string {
  return item
    .objects("reasoning_details")
    .filter(({ value }) => value["signature"] === undefined)
    .map(({ value }) => asString(value["text"]) ?? asString(value["summary"]) ?? "")
    .join("");
}
