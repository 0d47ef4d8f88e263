import { asObject, asString } from "../json.ts";
import type { Citation, NeutralEvent } from "../neutral-event.ts";
import { toMessagesNeutralDeltaEvents, type MessagesStreamingContentBlock } from "./open-block.ts";

/** What is known of a block only when it ends: seals, sources, input that came with its start. */
export function buildMessagesContentBlockEndDeltas(
  open: MessagesStreamingContentBlock,
): readonly NeutralEvent[] {
  switch (open.block["type"]) {
    case "text":
      if (open.citations.length === 0) return [];
      return citationsOf(open).flatMap((citation) =>
        toMessagesNeutralDeltaEvents(open, { type: "citation", citation }),
      );
    case "thinking":
      return sealOf(open);
    case "redacted_thinking":
      return toMessagesNeutralDeltaEvents(open, {
        type: "encrypted-reasoning",
        seal: {
          dialect: "dialect_messages",
          kind: "redacted",
          data: asString(open.block["data"]) ?? "",
        },
      });
    default:
      return prefilledInput(open);
  }
}

function sealOf(open: MessagesStreamingContentBlock): readonly NeutralEvent[] {
  const { signature } = open;
  if (signature === undefined || signature === "") return [];
  return toMessagesNeutralDeltaEvents(open, {
    type: "encrypted-reasoning",
    seal: { dialect: "dialect_messages", kind: "thinking", signature },
  });
}

/** Input that came with the start of the block counts if no delta followed. */
function prefilledInput(open: MessagesStreamingContentBlock): readonly NeutralEvent[] {
  if (open.hasDelta) return [];
  const text = JSON.stringify(asObject(open.block["input"]) ?? {});
  return toMessagesNeutralDeltaEvents(open, { type: "arguments", text });
}

/** Pages that were cited; the cited claim is the block's whole text. */
function citationsOf({ citations, text }: MessagesStreamingContentBlock): readonly Citation[] {
  return citations
    .filter(({ type }) => type === "web_search_result_location")
    .map((citation) => ({
      url: asString(citation["url"]) ?? "",
      title: asString(citation["title"]) ?? "",
      citedText: asString(citation["cited_text"]),
      start: 0,
      end: text.length,
    }));
}
