import type { ResponseContext } from "../codec.ts";
import type { PartHead } from "../neutral-event.ts";
import {
  citationFrame,
  blockDeltaFrame,
  startFrame,
  stopFrame,
  type BlockWriter,
} from "./block-frames.ts";
import { writeCitation } from "./encode-response.ts";
import { thinkingWriter } from "./thinking-writer.ts";

/** The writer of a part as the block `index`. */
export function openBlock(index: number, part: PartHead, context: ResponseContext): BlockWriter {
  switch (part.type) {
    case "text":
    case "refusal":
    case "compaction":
      return textWriter(index);
    case "reasoning":
      return thinkingWriter(index, context);
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
        return citationFrame(index, writeCitation(delta.citation));
      }
      if (delta.type !== "text" || delta.text === "") return "";
      const said = blockDeltaFrame(index, "text_delta", "text", delta.text);
      if (isOpen) return said;
      isOpen = true;
      return startFrame(index, { type: "text", text: "" }) + said;
    },
    end: () => (isOpen ? stopFrame(index) : ""),
    isOpen: () => isOpen,
  };
}

function callWriter(
  index: number,
  { id, name }: Extract<PartHead, { type: "tool-call" }>,
): BlockWriter {
  return {
    start: () => startFrame(index, { type: "tool_use", id, name, input: {} }),
    delta: (delta) =>
      delta.type === "arguments" && delta.text !== ""
        ? blockDeltaFrame(index, "input_json_delta", "partial_json", delta.text)
        : "",
    end: () => stopFrame(index),
    isOpen: () => true,
  };
}
