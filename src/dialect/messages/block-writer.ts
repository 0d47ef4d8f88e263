import type { ResponseEncodingContext } from "../codec.ts";
import type { NeutralPartHead } from "../neutral-event.ts";
import {
  serializeCitationDelta,
  serializeContentBlockDelta,
  serializeContentBlockStart,
  serializeContentBlockStop,
  type ContentBlockWriter,
} from "./block-frames.ts";
import { encodeCitation } from "./encode-response.ts";
import { createThinkingBlockWriter } from "./thinking-writer.ts";

/** The writer of a part as the block `index`. */
export function createContentBlockWriter(
  index: number,
  part: NeutralPartHead,
  context: ResponseEncodingContext,
): ContentBlockWriter {
  switch (part.type) {
    case "text":
    case "refusal":
    case "compaction":
      return textWriter(index);
    case "reasoning":
      return createThinkingBlockWriter(index, context);
    case "tool-call":
      return callWriter(index, part);
  }
}

/** Opens with its first words, so that an empty text gives no block. */
function textWriter(index: number): ContentBlockWriter {
  let isOpen = false;
  return {
    start: () => "",
    delta(delta) {
      if (delta.type === "citation" && isOpen) {
        return serializeCitationDelta(index, encodeCitation(delta.citation));
      }
      if (delta.type !== "text" || delta.text === "") return "";
      const said = serializeContentBlockDelta(index, "text_delta", "text", delta.text);
      if (isOpen) return said;
      isOpen = true;
      return serializeContentBlockStart(index, { type: "text", text: "" }) + said;
    },
    end: () => (isOpen ? serializeContentBlockStop(index) : ""),
    isOpen: () => isOpen,
  };
}

function callWriter(
  index: number,
  { id, name }: Extract<NeutralPartHead, { type: "tool-call" }>,
): ContentBlockWriter {
  return {
    start: () => serializeContentBlockStart(index, { type: "tool_use", id, name, input: {} }),
    delta: (delta) =>
      delta.type === "arguments" && delta.text !== ""
        ? serializeContentBlockDelta(index, "input_json_delta", "partial_json", delta.text)
        : "",
    end: () => serializeContentBlockStop(index),
    isOpen: () => true,
  };
}
