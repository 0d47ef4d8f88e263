import {
  asArrayOrEmpty,
  asNumber,
  asObject,
  asString,
  type JsonObject,
} from "../../dialect/json.ts";
import {
  streamedTextFieldByItemType,
  responsesPartListDescriptors,
  type ResponsesPartListDescriptor,
} from "../../dialect/responses/streamed-texts.ts";
import { PendingOutputPart } from "./pending-part.ts";
import { StreamedTextProgress } from "./pending-text.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";

/**
 * An output item of a responses stream that was announced and has not ended: what of it
 * was told so far, and the events that close it where nothing more will come.
 */
export class PendingOutputItem {
  readonly #index: number;
  /** As it was announced. */
  readonly #item: JsonObject;
  /** The lists of which parts have ended, with these parts. */
  readonly #lists = new Map<string, unknown[]>();
  /** Text of the item itself. */
  readonly #text: StreamedTextProgress | undefined;
  /** Parts under way, by their list and place. */
  readonly #parts = new Map<string, PendingOutputPart>();

  /** `index`: its `output_index`. */
  constructor(index: number, item: JsonObject) {
    this.#index = index;
    this.#item = item;
    const form = streamedTextFieldByItemType.get(asString(item["type"]) ?? "");
    this.#text = form && new StreamedTextProgress(form, item);
  }

  /** An event about this item, which is not its last. */
  take(event: ResponsesStreamEvent): void {
    const kind = responsesPartListDescriptors.find(({ index }) => event[index] !== undefined);
    if (kind === undefined) this.#text?.take(event);
    else this.#takeOfPart(kind, event);
  }

  /** Closes it as it stands, `incomplete`. */
  close(): { readonly item: JsonObject; readonly events: readonly ResponsesStreamEvent[] } {
    const place = { item_id: this.#item["id"], output_index: this.#index };
    const parts = [...this.#parts.values()];
    for (const part of parts) this.#setPart(part.kind, part.at, part.whole());
    const lists = Object.fromEntries(this.#lists);
    const item = { ...this.#item, ...lists, ...this.#text?.asMember(), status: "incomplete" };
    const done = { type: "response.output_item.done", output_index: this.#index, item };
    const texts = parts.flatMap((part) => part.close(place));
    return { item, events: [...texts, ...(this.#text?.close(place) ?? []), done] };
  }

  #takeOfPart(kind: ResponsesPartListDescriptor, event: ResponsesStreamEvent): void {
    const at = asNumber(event[kind.index]) ?? 0;
    const key = `${kind.list} ${at}`;
    const part = asObject(event["part"]) ?? {};
    if (event.type === `${kind.event}.added`) {
      this.#parts.set(key, new PendingOutputPart(kind, at, part));
    } else if (event.type === `${kind.event}.done`) {
      this.#parts.delete(key);
      this.#setPart(kind, at, part);
    } else this.#parts.get(key)?.take(event);
  }

  #setPart({ list }: ResponsesPartListDescriptor, at: number, part: JsonObject): void {
    const parts = this.#lists.get(list) ?? [...asArrayOrEmpty(this.#item[list])];
    parts[at] = part;
    this.#lists.set(list, parts);
  }
}
