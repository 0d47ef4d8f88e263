import { asArrayOrEmpty, asString, type JsonObject } from "../../dialect/json.ts";
import {
  streamedTextsByPartType,
  type ResponsesPartListDescriptor,
} from "../../dialect/responses/streamed-texts.ts";
import { StreamedTextProgress } from "./pending-text.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";

/** A part of an output item that was announced and has not ended. */
export class PendingOutputPart {
  readonly kind: ResponsesPartListDescriptor;
  /** Its index among the parts. */
  readonly at: number;
  readonly #begun: JsonObject;
  readonly #text: StreamedTextProgress | undefined;
  readonly #annotations: unknown[];

  constructor(kind: ResponsesPartListDescriptor, at: number, begun: JsonObject) {
    this.kind = kind;
    this.at = at;
    this.#begun = begun;
    const form = streamedTextsByPartType.get(asString(begun["type"]) ?? "");
    this.#text = form && new StreamedTextProgress(form, begun);
    this.#annotations = [...asArrayOrEmpty(begun["annotations"])];
  }

  take(event: ResponsesStreamEvent): void {
    if (event.type === "response.output_text.annotation.added") {
      this.#annotations.push(event["annotation"]);
    } else this.#text?.take(event);
  }

  /** The part as far as it came. */
  whole(): JsonObject {
    const annotations = "annotations" in this.#begun && { annotations: this.#annotations };
    return { ...this.#begun, ...annotations, ...this.#text?.asMember() };
  }

  /** The events that end it; `item`: where it stands. */
  close(item: JsonObject): readonly ResponsesStreamEvent[] {
    const place = { ...item, [this.kind.index]: this.at };
    const done = { type: `${this.kind.event}.done`, ...place, part: this.whole() };
    return [...(this.#text?.close(place) ?? []), done];
  }
}
