import type { Warm } from "./ports.ts";

/** Goes on with a value at once when it is there, so that a warm call stays synchronous. */
export function whenWarm<Value, Result>(
  value: Warm<Value>,
  use: (value: Value) => Warm<Result>,
): Warm<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
