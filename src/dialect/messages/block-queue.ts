import type { ResponseEncodingContext } from "../codec.ts";
import type { NeutralPartDelta, NeutralPartHead, NeutralEvent } from "../neutral-event.ts";
import type { MessagesContentBlockWriter } from "./block-frames.ts";
import { createMessagesContentBlockWriter } from "./block-writer.ts";

interface WaitingPart {
  readonly part: NeutralPartHead;
  readonly deltas: NeutralPartDelta[];
  isEnded: boolean;
}

/**
 * Puts parts that may interleave into blocks that may not: the first open part
 * is written as it comes, the later ones wait for their turn. A block closes when
 * its part ends, never because its JSON would parse: a prefix may parse, too.
 */
export class MessagesContentBlockSequencer {
  readonly #context: ResponseEncodingContext;
  readonly #parts = new Map<number, WaitingPart>();
  /**
   * Numbers of all parts as they began: a map from which many first entries were taken is slow
   * to say which is first now.
   */
  readonly #order: number[] = [];
  /** Place in the order of the first part that has not been written. */
  #first = 0;
  /** Index of the next block. */
  #index = 0;
  #live: { readonly number: number; readonly writer: MessagesContentBlockWriter } | undefined;

  constructor(context: ResponseEncodingContext) {
    this.#context = context;
  }

  /** The frames that follow. */
  push(event: Extract<NeutralEvent, { index: number }>): string {
    switch (event.type) {
      case "part-start":
        return this.#start(event.index, event.part);
      case "part-delta":
        return this.#extend(event.index, event.delta);
      case "part-end":
        return this.#end(event.index);
    }
  }

  /** Writes all that is left, ended or not. */
  finish(): string {
    for (const part of this.#parts.values()) part.isEnded = true;
    return this.#advance();
  }

  #start(number: number, part: NeutralPartHead): string {
    if (!this.#parts.has(number)) this.#order.push(number);
    this.#parts.set(number, { part, deltas: [], isEnded: false });
    return this.#advance();
  }

  #extend(number: number, delta: NeutralPartDelta): string {
    if (this.#live?.number === number) return this.#live.writer.delta(delta);
    this.#parts.get(number)?.deltas.push(delta);
    return "";
  }

  #end(number: number): string {
    const part = this.#parts.get(number);
    if (part === undefined) return "";
    part.isEnded = true;
    return this.#advance();
  }

  /** Closes what has ended and opens what is next, as long as there is something. */
  #advance(): string {
    let printed = "";
    for (;;) {
      if (this.#live === undefined) {
        const next = this.#order[this.#first];
        if (next === undefined) return printed;
        printed += this.#open(next);
      }
      const closed = this.#close();
      if (closed === undefined) return printed;
      printed += closed;
    }
  }

  #open(number: number): string {
    const waiting = this.#parts.get(number);
    if (waiting === undefined) return "";
    const writer = createMessagesContentBlockWriter(this.#index, waiting.part, this.#context);
    this.#live = { number, writer };
    const said = waiting.deltas.splice(0).map((delta) => writer.delta(delta));
    return writer.start() + said.join("");
  }

  /** Undefined: the live part goes on. */
  #close(): string | undefined {
    const live = this.#live;
    if (live === undefined || this.#parts.get(live.number)?.isEnded !== true) return undefined;
    this.#live = undefined;
    this.#parts.delete(live.number);
    this.#first += 1;
    const printed = live.writer.end();
    if (live.writer.isOpen()) this.#index += 1;
    return printed;
  }
}
