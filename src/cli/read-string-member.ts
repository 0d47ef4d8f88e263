import type { JsonValue } from "@bufbuild/protobuf";
import { isProtobufJsonObject } from "../contract/json/decode-json.ts";

/** A member that is text; empty for any other, and of what is no object. */
export function readStringMemberOrEmpty(value: JsonValue | undefined, member: string): string {
  const text = isProtobufJsonObject(value) ? value[member] : undefined;
  return typeof text === "string" ? text : "";
}
