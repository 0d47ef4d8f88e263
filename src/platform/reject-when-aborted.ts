/** Resolves or rejects like `work`, or rejects with the reason of `signal` when it is aborted first. */
export function rejectWhenAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return promise;
}
