import { setImmediate as nextTurn } from "node:timers/promises";

/** Lets one long piece of work through in each turn of the event loop, so that other work runs in between. */
export class EventLoopTurnstile {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of the event loop in which it resolves for no other caller. */
  pass(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
