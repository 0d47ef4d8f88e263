/** A caller that waits in a line. */
export interface BusyThreadWaiter {
  /** Resolves when the caller is the first of its line, or has left it. */
  readonly reached: Promise<void>;
  leave(): void;
}

/**
 * Callers of this process that wait for busy threads, one line for each thread. Only the first
 * of a line looks whether its thread is free: the end of a turn wakes one caller and not all,
 * of whom only one could go on.
 */
export class BusyThreadCallerQueues {
  readonly #lines = new Map<string, Set<() => void>>();

  /** Whether callers wait for the thread, or one of them is about to begin its turn. */
  hasCallers(thread: string): boolean {
    return this.#lines.has(thread);
  }

  /** Joins the line of a thread at its end. An aborted `signal` leaves it. */
  join(thread: string, signal: AbortSignal): BusyThreadWaiter {
    const line = this.#lines.get(thread) ?? new Set();
    this.#lines.set(thread, line);
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const leave = (): void => {
      resolve();
      if (!line.delete(resolve)) return;
      if (line.size === 0) this.#lines.delete(thread);
      else callFirst(line);
    };
    line.add(resolve);
    callFirst(line);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    return { reached, leave };
  }
}

function callFirst(line: ReadonlySet<() => void>): void {
  const [first] = line;
  first?.();
}
