/** A value that is there at once when it is in memory, so that a warm call awaits nothing. */
export type Warm<Value> = Value | Promise<Value>;

/**
 * Goes on with a value at once when it is there, so that a warm call stays synchronous.
 * `failed` takes the rejection of one that is not.
 */
export function whenWarm<Value, Result>(
  value: Warm<Value>,
  use: (value: Value) => Warm<Result>,
  failed?: (error: unknown) => Warm<Result>,
): Warm<Result> {
  return value instanceof Promise ? value.then(use, failed) : use(value);
}

/** A value that is there at once; undefined: it is not, and nobody waits for it. */
export function ifWarm<Value>(value: Warm<Value>): Value | undefined {
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  return undefined;
}

/** Does what may end later; `failed` hears of what it throws, at once or then. */
export function tryWarm(work: () => Warm<void>, failed: (error: unknown) => void): void {
  try {
    const done = work();
    if (done instanceof Promise) done.catch(failed);
  } catch (error) {
    failed(error);
  }
}
