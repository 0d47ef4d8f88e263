import type { ResponseEncodingContext } from "../codec.ts";
import type { NeutralPartHead } from "../neutral-event.ts";
import {
  serializeMessagesCitationDelta,
  serializeMessagesContentBlockDelta,
  serializeMessagesContentBlockStart,
  serializeMessagesContentBlockStop,
  type MessagesContentBlockWriter,
} from "./block-frames.ts";
import { encodeMessagesCitation } from "./encode-response.ts";
import { createMessagesThinkingBlockWriter } from "./thinking-writer.ts";

/** The writer of a part as the block `index`. */
export function createMessagesContentBlockWriter(
  index: number,
  part: NeutralPartHead,
  context: ResponseEncodingContext,
): MessagesContentBlockWriter {
  switch (part.type) {
    case "text":
    case "refusal":
    case "compaction":
      return textWriter(index);
    case "reasoning":
      return createMessagesThinkingBlockWriter(index, context);
    case "tool-call":
      return callWriter(index, part);
  }
}

/** Opens with its first words, so that an empty text gives no block. */
function textWriter(index: number): MessagesContentBlockWriter {
  let isOpen = false;
  return {
    start: () => "",
    delta(delta) {
      if (delta.type === "citation" && isOpen) {
        return serializeMessagesCitationDelta(index, encodeMessagesCitation(delta.citation));
      }
      if (delta.type !== "text" || delta.text === "") return "";
      const said = serializeMessagesContentBlockDelta(index, "text_delta", "text", delta.text);
      if (isOpen) return said;
      isOpen = true;
      return serializeMessagesContentBlockStart(index, { type: "text", text: "" }) + said;
    },
    end: () => (isOpen ? serializeMessagesContentBlockStop(index) : ""),
    isOpen: () => isOpen,
  };
}

function callWriter(
  index: number,
  { id, name }: Extract<NeutralPartHead, { type: "tool-call" }>,
): MessagesContentBlockWriter {
  return {
    start: () =>
      serializeMessagesContentBlockStart(index, { type: "tool_use", id, name, input: {} }),
    delta: (delta) =>
      delta.type === "arguments" && delta.text !== ""
        ? serializeMessagesContentBlockDelta(index, "input_json_delta", "partial_json", delta.text)
        : "",
    end: () => serializeMessagesContentBlockStop(index),
    isOpen: () => true,
  };
}
