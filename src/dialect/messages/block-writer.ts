import type { ResponseEncodingContext } from "../codec.ts";
import type { PartHead } from "../neutral-event.ts";
import {
  serializeCitationDelta,
  serializeBlockDelta,
  serializeBlockStart,
  serializeBlockStop,
  type BlockWriter,
} from "./block-frames.ts";
import { encodeCitation } from "./encode-response.ts";
import { createThinkingWriter } from "./thinking-writer.ts";

/** The writer of a part as the block `index`. */
export function createBlockWriter(
  index: number,
  part: PartHead,
  context: ResponseEncodingContext,
): BlockWriter {
  switch (part.type) {
    case "text":
    case "refusal":
    case "compaction":
      return textWriter(index);
    case "reasoning":
      return createThinkingWriter(index, context);
    case "tool-call":
      return callWriter(index, part);
  }
}

/** Opens with its first words, so that an empty text gives no block. */
function textWriter(index: number): BlockWriter {
  let isOpen = false;
  return {
    start: () => "",
    delta(delta) {
      if (delta.type === "citation" && isOpen) {
        return serializeCitationDelta(index, encodeCitation(delta.citation));
      }
      if (delta.type !== "text" || delta.text === "") return "";
      const said = serializeBlockDelta(index, "text_delta", "text", delta.text);
      if (isOpen) return said;
      isOpen = true;
      return serializeBlockStart(index, { type: "text", text: "" }) + said;
    },
    end: () => (isOpen ? serializeBlockStop(index) : ""),
    isOpen: () => isOpen,
  };
}

function callWriter(
  index: number,
  { id, name }: Extract<PartHead, { type: "tool-call" }>,
): BlockWriter {
  return {
    start: () => serializeBlockStart(index, { type: "tool_use", id, name, input: {} }),
    delta: (delta) =>
      delta.type === "arguments" && delta.text !== ""
        ? serializeBlockDelta(index, "input_json_delta", "partial_json", delta.text)
        : "",
    end: () => serializeBlockStop(index),
    isOpen: () => true,
  };
}
