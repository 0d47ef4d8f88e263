/** A limit is counted in this many parts. */
const parts = 10;

/**
 * Calls `act` once after `milliseconds` in which this process was able to run. A
 * timer that fires late says nothing of what it waits for: while the event loop is
 * blocked or the process stopped, answers wait in the sockets. So a part that took
 * longer counts once, and after each part the loop reads its sockets first.
 *
 * @param progress - a number that changes whenever what is waited for shows a sign of
 * life; the time then starts again
 * @returns a function that ends the wait
 */
export function setStallTolerantTimeout(
  milliseconds: number,
  act: () => void,
  progress: () => number = () => 0,
): () => void {
  let left = parts;
  let last = progress();
  let look: NodeJS.Immediate | undefined;
  const end = () => {
    clearInterval(timer);
    clearImmediate(look);
  };
  const timer = setInterval(() => {
    // Sockets are read between timers and immediates.
    look = setImmediate(() => {
      const now = progress();
      left = now === last ? left - 1 : parts;
      last = now;
      if (left > 0) return;
      end();
      act();
    });
  }, milliseconds / parts);
  return end;
}

/** As `withTimeoutFallback`, but counts only the time in which this process was able to run. */
export function withStallTolerantTimeoutFallback<Value, Late>(
  promise: Value | Promise<Value>,
  milliseconds: number,
  late: Late,
): Promise<Value | Late> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Late>();
  const end = setStallTolerantTimeout(milliseconds, () => resolve(late));
  return Promise.race([promise, timeUp]).finally(end);
}
