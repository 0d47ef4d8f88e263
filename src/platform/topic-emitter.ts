/** Who wants to hear of which topic; any number of listeners each. */
export class TopicEmitter {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Adds a listener until the function that is returned is called. */
  on(topic: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(topic);
    };
  }

  /** Calls the listeners of one topic. */
  emit(topic: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener();
  }

  /** Calls every listener, once for each of its topics. */
  emitAll(): void {
    for (const topic of this.#listeners.keys()) this.emit(topic);
  }
}
