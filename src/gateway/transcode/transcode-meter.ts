import { MalformedResponseError } from "../../dialect/codec.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";
import { mergeTokenUsage } from "../../dialect/usage.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import {
  createUpstreamDataMemoryCounter,
  type UpstreamDataMemoryCounter,
} from "../call/hold-peak.ts";
import { estimateTextTokens } from "../call/text-length.ts";
import type { ResponseUsageMeter } from "../call/usage-meter.ts";
import type { CallerResponse } from "../call/caller-response.ts";

/** Longest answer: its texts, arguments, reasoning and names together, as the encoder holds them. */
const maxAnswerMiB = 32;
const maxCharacters = maxAnswerMiB * 1024 * 1024;

/** Most parts of an answer: texts, tool calls and pieces of reasoning. */
const maxParts = 10_000;

/** Characters that a part counts without its texts. */
const partCharacters = 100;

/** Smallest size in memory of a part, or of what a decoder keeps of one event. */
const entryBytes = 300;

/** Smallest size in memory of a list or object, and of a member of one. */
const objectBytes = 48;
const memberBytes = 8;

const twoByteCharacter = /[\u0100-\uFFFF]/;

/** Counts what a transcoded answer tells as it passes, over all its dials. */
export class TranscodedUsageMeter implements ResponseUsageMeter {
  readonly #response: CallerResponse;
  readonly #hold: UpstreamDataMemoryCounter;
  /** A token each, as a rule, of a stream. */
  #pieces = 0;
  /** Characters of the pieces that the caller gets. */
  #pieceCharacters = 0;
  #parts = 0;
  /** Parts that the decoder has begun. */
  #decodedParts = 0;
  /** Characters of all texts that are held. */
  #characters = 0;
  /** One character of a text that is joined makes all of it two bytes wide. */
  #characterBytes = 1;
  /** Bytes of the values around the texts. */
  #otherBytes = 0;

  /** `hold`: of the account whose call is answered. */
  constructor(answer: CallerResponse, hold: MemoryReserver) {
    this.#response = answer;
    this.#hold = createUpstreamDataMemoryCounter(hold);
    answer.meter = this;
  }

  /** Parts that have begun. */
  get parts(): number {
    return this.#parts;
  }

  /**
   * Counts an event as the decoder told it: whatever comes behind may hold it. Throws a
   * `MalformedResponseError` when the answer is too long to be held or has too many parts, and
   * what `hold` throws.
   */
  count(event: NeutralEvent): void {
    if (event.type === "part-start") {
      this.#decodedParts += 1;
      if (this.#decodedParts > maxParts)
        throw new MalformedResponseError(`sent an answer of more than ${maxParts} parts`);
      this.#characters += partCharacters;
      this.countKept(event.part);
    } else if (event.type === "part-delta") {
      this.#add(event.delta);
      this.#check();
    }
  }

  /** Counts what the decoder keeps without an event. Throws as `count`. */
  countKept(kept: unknown): void {
    this.#otherBytes += entryBytes;
    this.#add(kept);
    this.#check();
  }

  /** Takes an event as its caller will get it. */
  push(event: NeutralEvent): void {
    switch (event.type) {
      case "part-start":
        this.#parts += 1;
        return;
      case "part-delta":
        this.#pieces += 1;
        if ("text" in event.delta) this.#pieceCharacters += event.delta.text.length;
        this.#response.hasBody = true;
        return;
      case "usage":
        this.#response.usage = mergeTokenUsage(this.#response.usage, event.usage);
        return;
      default:
    }
  }

  #add(value: unknown): void {
    if (typeof value === "string") this.#addText(value);
    if (typeof value !== "object" || value === null) return;
    const members: unknown[] = Object.values(value);
    this.#otherBytes += objectBytes + members.length * memberBytes;
    for (const member of members) this.#add(member);
  }

  #addText(text: string): void {
    this.#characters += text.length;
    if (this.#characterBytes === 1 && twoByteCharacter.test(text)) this.#characterBytes = 2;
  }

  #check(): void {
    if (this.#characters > maxCharacters)
      throw new MalformedResponseError(`sent an answer of more than ${maxAnswerMiB} MiB`);
    this.#hold(this.#characters * this.#characterBytes + this.#otherBytes);
  }

  /** The answer has it already. */
  readUsage(): undefined {
    return undefined;
  }

  relayedTokens(): number {
    return Math.max(this.#pieces, estimateTextTokens(this.#pieceCharacters));
  }
}
