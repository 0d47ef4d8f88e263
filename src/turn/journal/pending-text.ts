import { asString, type JsonObject } from "../../dialect/json.ts";
import {
  buildResponsesTextEventLogprobs,
  type ResponsesStreamedTextEventNames,
} from "../../dialect/responses/streamed-texts.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";

/** Pieces that wait to be joined. */
const piecesAtMost = 1024;

/** A text that comes in pieces: what of it was told, and whether its end was. */
export class StreamedTextProgress {
  readonly #form: ResponsesStreamedTextEventNames;
  #value: string;
  /** Pieces that are joined later: a text of many small ones takes many times its size. */
  #pieces: string[] = [];
  #hasEnded = false;

  /** `holder`: what it stands in, as that was announced. */
  constructor(form: ResponsesStreamedTextEventNames, holder: JsonObject) {
    this.#form = form;
    this.#value = asString(holder[form.member]) ?? "";
  }

  take({ type, delta }: ResponsesStreamEvent): void {
    if (type === `${this.#form.event}.delta`) this.#add(asString(delta) ?? "");
    else if (type === `${this.#form.event}.done`) this.#hasEnded = true;
  }

  /** The member that has it, as far as it came. */
  asMember(): JsonObject {
    this.#join();
    return { [this.#form.member]: this.#value };
  }

  #add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length >= piecesAtMost) this.#join();
  }

  #join(): void {
    this.#value += this.#pieces.join("");
    this.#pieces = [];
  }

  /** The event that tells its end; none where that was told. */
  close(place: JsonObject): readonly ResponsesStreamEvent[] {
    if (this.#hasEnded) return [];
    const type = `${this.#form.event}.done`;
    return [{ type, ...place, ...this.asMember(), ...buildResponsesTextEventLogprobs(this.#form) }];
  }
}
