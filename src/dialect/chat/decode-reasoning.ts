import { asString } from "../json.ts";
import type { BodyReader } from "../body-reader.ts";
import type { RequestContext } from "../codec.ts";
import type { ReasoningPart } from "../turn.ts";

/**
 * What an assistant message says that the model thought: sealed entries, ours as
 * `reasoning_details` or in the form of another gateway as `thinking_blocks`, else
 * the plain text. An entry without a seal of ours is lost: nobody could vouch
 * for it at its vendor.
 */
export function decodeReasoningParts(
  item: BodyReader,
  context: RequestContext,
): readonly ReasoningPart[] {
  const entries = [...item.objects("reasoning_details"), ...item.objects("thinking_blocks")];
  const sealed = entries.flatMap((entry) => decodeEntry(entry, context));
  return sealed.length > 0 ? sealed : decodePlain(item);
}

function decodeEntry(entry: BodyReader, context: RequestContext): readonly ReasoningPart[] {
  const envelope = asString(entry.value["signature"]) ?? asString(entry.value["data"]);
  const opened = envelope === undefined ? undefined : context.envelope.open(envelope);
  if (opened !== undefined) {
    return [{ type: "reasoning", path: entry.path, texts: opened.texts, seal: opened.seal }];
  }
  // Readable text alone is in the plain field, too.
  if (envelope !== undefined) context.ledger.drop(entry.path, "foreign");
  return [];
}

/** Words that nobody signed belong to chat upstreams. */
function decodePlain(item: BodyReader): readonly ReasoningPart[] {
  const field = ["reasoning_content", "reasoning"].find((name) => asString(item.value[name]));
  const text = field === undefined ? unsignedWords(item) : (item.string(field) ?? "");
  if (text === "") return [];
  const path = item.pathOf(field ?? "reasoning_details");
  return [
    { type: "reasoning", path, texts: [text], seal: { dialect: "dialect_chat", kind: "plain" } },
  ];
}

/** Of servers that have no plain field beside their details. */
function unsignedWords(item: BodyReader): string {
  return item
    .objects("reasoning_details")
    .filter(({ value }) => value["signature"] === undefined)
    .map(({ value }) => asString(value["text"]) ?? asString(value["summary"]) ?? "")
    .join("");
}
