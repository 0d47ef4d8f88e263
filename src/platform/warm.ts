/** A value that is there at once when it is in memory, so that a warm call awaits nothing. */
export type Warm<Value> = Value | Promise<Value>;

/** Goes on with a value at once when it is there, so that a warm call stays synchronous. */
export function whenWarm<Value, Result>(
  value: Warm<Value>,
  use: (value: Value) => Warm<Result>,
): Warm<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
