import type { DurableTurnService } from "../../domain/durable-turn.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { toCallFailure } from "../call/call-failure.ts";
import type { StreamStage } from "../pass-through/stage.ts";

/** Who asked for a turn, and hears of it: the turn goes on without them. */
export class TurnSubscriber {
  readonly #turns: Pick<DurableTurnService, "follow">;
  readonly #response: CallerResponse;
  readonly #gone = new AbortController();
  #read = Promise.withResolvers<void>();

  constructor(turns: Pick<DurableTurnService, "follow">, answer: CallerResponse) {
    this.#turns = turns;
    this.#response = answer;
  }

  /** Aborted: nobody listens any more. */
  get disconnected(): AbortSignal {
    return this.#gone.signal;
  }

  unsubscribe(): void {
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
  async subscribe(turnId: string, stage: StreamStage<Buffer>): Promise<void> {
    try {
      await this.#follow(turnId, stage);
    } catch (error) {
      if (!this.#response.isOpen) this.#response.cut(toCallFailure(error).catalogueCode);
      throw error;
    }
  }

  async #follow(turnId: string, stage: StreamStage<Buffer>): Promise<void> {
    for await (const frames of this.#turns.follow(turnId, -1, this.disconnected)) {
      const read = this.#read.promise;
      // A line that says nothing is none of the turn's: each dialect has its own.
      if (frames.startsWith(":")) this.#keepAlive();
      else if (!stage.push(Buffer.from(frames))) await read;
      if (this.disconnected.aborted) return;
    }
    if (!this.disconnected.aborted) stage.finish();
  }

  #keepAlive(): void {
    if (this.#response.isStreaming) this.#response.keepAlive();
  }
}
