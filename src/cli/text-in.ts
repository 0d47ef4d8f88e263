import type { JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./rest-json.ts";

/** A member that is text; empty for any other, and of what is no object. */
export function textIn(value: JsonValue | undefined, member: string): string {
  const text = isObject(value) ? value[member] : undefined;
  return typeof text === "string" ? text : "";
}
