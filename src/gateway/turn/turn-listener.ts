import type { DurableTurns } from "../../kernel/durable-turn.ts";
import type { Answer } from "../call/answer.ts";
import { failureOf } from "../call/call-failure.ts";
import type { Stage } from "../relay/stage.ts";

/** Who asked for a turn, and hears of it: the turn goes on without them. */
export class TurnListener {
  readonly #turns: Pick<DurableTurns, "follow">;
  readonly #answer: Answer;
  readonly #gone = new AbortController();
  #read = Promise.withResolvers<void>();

  constructor(turns: Pick<DurableTurns, "follow">, answer: Answer) {
    this.#turns = turns;
    this.#answer = answer;
  }

  /** Aborted: nobody listens any more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  leave(): void {
    this.#gone.abort();
    this.resume();
  }

  /** Reads again. */
  resume(): void {
    this.#read.resolve();
    this.#read = Promise.withResolvers();
  }

  /**
   * Hands on the events of a turn as they are kept; who reads slowly is waited for. A
   * stream that ends without its turn is cut: an error event would say that the turn failed.
   */
  async hear(turnId: string, stage: Stage<Buffer>): Promise<void> {
    try {
      await this.#follow(turnId, stage);
    } catch (error) {
      if (!this.#answer.isOpen) this.#answer.cut(failureOf(error).catalogueCode);
      throw error;
    }
  }

  async #follow(turnId: string, stage: Stage<Buffer>): Promise<void> {
    for await (const frames of this.#turns.follow(turnId, -1, this.gone)) {
      const read = this.#read.promise;
      // A line that says nothing is none of the turn's: each dialect has its own.
      if (frames.startsWith(":")) this.#keepAlive();
      else if (!stage.push(Buffer.from(frames))) await read;
      if (this.gone.aborted) return;
    }
    if (!this.gone.aborted) stage.finish();
  }

  #keepAlive(): void {
    if (this.#answer.isStreaming) this.#answer.keepAlive();
  }
}
