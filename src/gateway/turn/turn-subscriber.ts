import type { DurableTurnService, FollowedTurn } from "../../domain/durable-turn.ts";
import { reserveIfPossible, type MemoryReserver } from "../../platform/hold-memory.ts";
import type { CallerResponse } from "../call/caller-response.ts";
import { toCallFailure } from "../call/call-failure.ts";
import type { StreamStage } from "../pass-through/stage.ts";

/** How a caller gets the events of a turn. */
export interface TurnSubscription extends Omit<FollowedTurn, "after"> {
  readonly stage: StreamStage<Buffer>;
  /** Counts the memory of the call. */
  readonly hold: MemoryReserver;
}

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
  async subscribe(subscription: TurnSubscription): Promise<void> {
    try {
      await this.#follow(subscription);
    } catch (error) {
      if (!this.#response.isOpen) this.#response.cut(toCallFailure(error).catalogueCode);
      throw error;
    }
  }

  async #follow({ stage, hold, ...followed }: TurnSubscription): Promise<void> {
    const turn = { ...followed, after: -1 };
    const holdPiece = turn.isStarter ? reserveIfPossible(hold) : hold;
    for await (const frames of this.#turns.follow(turn, this.disconnected)) {
      if (typeof frames !== "string") await this.#pushLarge(frames, stage, holdPiece);
      // A line that says nothing is none of the turn's: each dialect has its own.
      else if (frames.startsWith(":")) this.#keepAlive();
      else await this.#push(Buffer.from(frames), stage);
      if (this.disconnected.aborted) return;
    }
    if (!this.disconnected.aborted) stage.finish();
  }

  /** Counts as much as a dialect's own form of the frames takes until the caller has read it. */
  async #pushLarge(
    frames: Buffer,
    stage: StreamStage<Buffer>,
    hold: MemoryReserver,
  ): Promise<void> {
    const giveBack = hold(frames.length);
    await this.#push(frames, stage);
    giveBack();
  }

  /** Resolves when the caller reads fast enough for more. */
  async #push(frames: Buffer, stage: StreamStage<Buffer>): Promise<void> {
    const read = this.#read.promise;
    if (!stage.push(frames)) await read;
  }

  #keepAlive(): void {
    if (this.#response.isStreaming) this.#response.keepAlive();
  }
}
