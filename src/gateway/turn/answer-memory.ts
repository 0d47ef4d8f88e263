import { asString } from "../../dialect/json.ts";
import { responsesPartListDescriptors } from "../../dialect/responses/streamed-texts.ts";
import { maxJsonValues } from "../../dialect/value-limit.ts";
import type { ResponsesStreamEvent } from "../../domain/durable-turn.ts";
import { estimateParsedJsonBytes } from "../../platform/json-bytes.ts";
import { countJsonValues } from "../../platform/json-splice/count-values.ts";
import type { UpstreamDataMemoryCounter } from "../call/hold-peak.ts";

/** Values of shorter events are not counted. */
const fewCharacters = 1024;

/** Events whose parts or items a turn holds. */
const heldTypes: ReadonlySet<string> = new Set([
  "response.output_item.added",
  "response.output_item.done",
  "response.output_text.annotation.added",
  ...responsesPartListDescriptors.flatMap(({ event }) => [`${event}.added`, `${event}.done`]),
]);

const twoByteCharacter = /[\u0100-\uFFFF]/;

/** Counts the memory that a turn takes for an answer: its texts as pieces, or in the parts and items that repeat them. */
export class TurnResponseMemoryTracker {
  readonly #hold: UpstreamDataMemoryCounter;
  #pieces = 0;
  #whole = 0;
  /** One character of a text that is joined makes all of it two bytes wide. */
  #characterBytes = 1;

  constructor(hold: UpstreamDataMemoryCounter) {
    this.#hold = hold;
  }

  /** `data`: of the event. Throws what `hold` throws. */
  count(event: ResponsesStreamEvent, data: string): void {
    const piece = asString(event["delta"]) ?? "";
    this.#pieces += piece.length;
    if (heldTypes.has(event.type)) this.#whole += memoryOf(data);
    if (this.#characterBytes === 1 && twoByteCharacter.test(piece)) this.#characterBytes = 2;
    this.#hold(Math.max(this.#pieces * this.#characterBytes, this.#whole));
  }
}

function memoryOf(data: string): number {
  if (data.length < fewCharacters) return data.length;
  const bytes = Buffer.from(data);
  return estimateParsedJsonBytes(bytes.length, countJsonValues(bytes, maxJsonValues));
}
