import { asString, type JsonObject } from "../../dialect/json.ts";
import {
  buildTextEventLogprobs,
  type StreamedTextField,
} from "../../dialect/responses/streamed-texts.ts";
import type { UnnumberedEvent } from "./unnumbered-event.ts";

/** A text that comes in pieces: what of it was told, and whether its end was. */
export class PendingText {
  readonly #form: StreamedTextField;
  #value: string;
  #hasEnded = false;

  /** `holder`: what it stands in, as that was announced. */
  constructor(form: StreamedTextField, holder: JsonObject) {
    this.#form = form;
    this.#value = asString(holder[form.member]) ?? "";
  }

  take({ type, delta }: UnnumberedEvent): void {
    if (type === `${this.#form.event}.delta`) this.#value += asString(delta) ?? "";
    else if (type === `${this.#form.event}.done`) this.#hasEnded = true;
  }

  /** The member that has it, as far as it came. */
  asMember(): JsonObject {
    return { [this.#form.member]: this.#value };
  }

  /** The event that tells its end; none where that was told. */
  close(place: JsonObject): readonly UnnumberedEvent[] {
    if (this.#hasEnded) return [];
    const type = `${this.#form.event}.done`;
    return [{ type, ...place, ...this.asMember(), ...buildTextEventLogprobs(this.#form) }];
  }
}
