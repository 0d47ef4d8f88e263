import type { BodyReader } from "./body-reader.ts";
import type { Located } from "./turn.ts";

/** The value of a member with its place; undefined where there is none. */
export function locate<Value>(
  body: BodyReader,
  name: string,
  value: Value | undefined,
): Located<Value> | undefined {
  return value === undefined ? undefined : { path: body.pathOf(name), value };
}
