import type { TurnFrameSnapshot } from "./turn-store.ts";

type Listener = (told: TurnFrameSnapshot) => void;

/** What this process has kept of turns that it runs, for those who follow them here. */
export class InProcessTurnNotifier {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Calls the listener with all that is kept of a turn from now on, until the function that is returned is called. */
  subscribe(turnId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(turnId) ?? new Set();
    this.#listeners.set(turnId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(turnId);
    };
  }

  /** Only what has been committed is told. */
  notify(turnId: string, told: TurnFrameSnapshot): void {
    for (const listener of this.#listeners.get(turnId) ?? []) listener(told);
  }
}
