import type { BodyReader } from "./body-reader.ts";
import type { Located } from "./neutral-request.ts";

/** The value of a member with its place; undefined where there is none. */
export function toLocatedMember<Value>(
  body: BodyReader,
  name: string,
  value: Value | undefined,
): Located<Value> | undefined {
  return value === undefined ? undefined : { path: body.pathOf(name), value };
}
