import type { RequestFieldReader } from "./body-reader.ts";
import type { ValueWithPath } from "./neutral-request.ts";

/** The value of a member with its place; undefined where there is none. */
export function toValueWithPath<Value>(
  body: RequestFieldReader,
  name: string,
  value: Value | undefined,
): ValueWithPath<Value> | undefined {
  return value === undefined ? undefined : { path: body.pathOf(name), value };
}
