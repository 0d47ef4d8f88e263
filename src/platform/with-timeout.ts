import type { MaybePromise } from "./maybe-promise.ts";

/**
 * What comes of a promise, or `late` where nothing has after so many milliseconds;
 * rejects as the promise does. What is late goes on by itself, and its failure is
 * nobody's any more.
 */
export function withTimeoutFallback<Value, Late>(
  promise: MaybePromise<Value>,
  milliseconds: number,
  late: Late,
): Promise<Value | Late> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(resolve, milliseconds, late);
  return Promise.race([promise, timeUp]).finally(() => clearTimeout(timer));
}
