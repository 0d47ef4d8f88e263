/** A value that is there at once when it is in memory, so that a warm call awaits nothing. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Whether a value is there at once. */
export function isSyncValue<Value>(value: MaybePromise<Value>): value is Value {
  return !(value instanceof Promise);
}

/**
 * Goes on with a value at once when it is there, so that a warm call stays synchronous.
 * `failed` takes the rejection of one that is not.
 */
export function chainMaybePromise<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
  failed?: (error: unknown) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(use, failed) : use(value);
}

/** What `failed` makes of what the work throws, at once or later, else the work's own value. */
export function catchMaybePromise<Value>(
  work: () => MaybePromise<Value>,
  failed: (error: unknown) => MaybePromise<Value>,
): MaybePromise<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}

/** All of them, at once when each is there. Rejects with the first rejection. */
export function allMaybePromises<Value>(
  values: readonly MaybePromise<Value>[],
): MaybePromise<readonly Value[]> {
  const areThere = values.every(isSyncValue);
  return areThere ? values : Promise.all(values);
}

/** Does what may end later; `failed` hears of what it throws, at once or then. */
export function runMaybePromiseReportingErrors(
  work: () => MaybePromise<void>,
  failed: (error: unknown) => void,
): void {
  try {
    const done = work();
    if (done instanceof Promise) done.catch(failed);
  } catch (error) {
    failed(error);
  }
}
