import type { Citation } from "../neutral-event.ts";
import type { ChatWireObject } from "./wire.ts";

/** Where a text part stands in the one text that chat makes of all. */
export interface ChatTextPartSpan {
  /** UTF-16 offset of its first character. */
  readonly start: number;
  readonly length: number;
}

/** A citation with its offsets in the whole text; one whose place is not known stands for its part. */
export function toChatAnnotation(
  { url, title, start, end }: Citation,
  place: ChatTextPartSpan,
): ChatWireObject {
  return {
    type: "url_citation",
    url_citation: {
      start_index: place.start + (start ?? 0),
      end_index: place.start + (end ?? place.length),
      url,
      title,
    },
  };
}
