import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { formatInlinePairs } from "../format-cell.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";

/** A call as a row of a table: what one looks for first; `calls get` shows the rest. */
export function toLoggedCallCliRow(call: JsonObject): JsonObject {
  const notes = notesOf(call);
  return {
    ended: call["at"] ?? null,
    status: call["status"] ?? null,
    model: modelText(call),
    ms: call["ms"] ?? null,
    "first byte": call["first_byte_ms"] ?? null,
    in: call["input_tokens"] ?? null,
    out: call["output_tokens"] ?? null,
    usd: call["cost_usd"] ?? null,
    id: call["id"] ?? null,
    notes: notes.length === 0 ? null : notes.join(", "),
  };
}

/** The model that was called, and the one that answered where it is another. */
function modelText({ model, target }: JsonObject): JsonValue {
  if (typeof model !== "string" || typeof target !== "string") return model ?? null;
  return model === target ? model : `${model} → ${target}`;
}

function notesOf(call: JsonObject): string[] {
  const { error_code: errorCode, attempts, skipped, warnings, tags } = call;
  const [tried, over, lost] = [lengthOf(attempts), lengthOf(skipped), lengthOf(warnings)];
  return [
    typeof errorCode === "string" ? errorCode : "",
    tried > 1 ? `${tried} attempts` : "",
    over > 0 ? `${over} skipped` : "",
    call["lane"] === "transcode" ? "transcoded" : "",
    lost > 0 ? `${lost} ${lost === 1 ? "warning" : "warnings"}` : "",
    call["repeated"] === true ? "repeated" : "",
    call["estimated"] === true ? "estimated" : "",
    isProtobufJsonObject(tags) ? formatInlinePairs(tags) : "",
  ].filter((note) => note !== "");
}

function lengthOf(list: JsonValue | undefined): number {
  return Array.isArray(list) ? list.length : 0;
}
