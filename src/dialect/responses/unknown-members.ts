import { recordToMap } from "../../platform/lookup-table.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import { asObject } from "../json.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";

const call = ["call_id", "name", "namespace"];

/** What is read of an item, by its type; items of other types are kept whole. */
const itemFields = recordToMap<ReadonlySet<string>>({
  message: new Set(["role", "content", "phase"]),
  reasoning: new Set(["summary", "content", "encrypted_content"]),
  function_call: new Set([...call, "arguments"]),
  custom_tool_call: new Set([...call, "input"]),
  // The call that it answers has the name.
  function_call_output: new Set([...call, "output"]),
  custom_tool_call_output: new Set([...call, "output"]),
});
const everyItem = new Set(["type", "id", "status"]);

const text = ["text", "annotations", "logprobs"];

/** The same of a part of a message or of an output. */
const partFields = recordToMap<ReadonlySet<string>>({
  text: new Set(text),
  input_text: new Set(text),
  output_text: new Set(text),
  refusal: new Set(["refusal"]),
  input_image: new Set(["image_url", "file_id", "detail"]),
  input_file: new Set(["file_data", "file_url", "file_id", "filename"]),
});
const everyPart = new Set(["type", "prompt_cache_breakpoint"]);

/** Known members that no other dialect has. */
const nativeFields = new Set(["async", "caller", "detail"]);

/** Enters in the ledger what an item and its parts hold beside what is read. */
export function warnAboutResponsesUnknownMembers(
  item: RequestFieldReader,
  ledger: ConversionWarningCollector,
): void {
  const type = item.string("type") ?? "message";
  dropExtraMembers(item, everyItem, itemFields.get(type), ledger);
  for (const name of ["content", "output"]) {
    const isRead = type !== "reasoning" && Array.isArray(item.value[name]);
    for (const part of isRead ? item.objects(name) : []) {
      dropExtraMembers(part, everyPart, partFields.get(part.string("type") ?? ""), ledger);
    }
  }
}

function dropExtraMembers(
  object: RequestFieldReader,
  common: ReadonlySet<string>,
  fields: ReadonlySet<string> | undefined,
  ledger: ConversionWarningCollector,
): void {
  if (fields === undefined) return;
  for (const [name, value] of Object.entries(object.value)) {
    if (common.has(name) || fields.has(name) || isEmptyValue(name, value)) continue;
    ledger.drop(object.pathOf(name), nativeFields.has(name) ? "unsupported" : "unknown");
  }
}

/** Null, what is off, what happens anyway, and a call that the model itself made. */
function isEmptyValue(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (name === "detail") return value === "auto";
  return name === "caller" && asObject(value)?.["type"] === "direct";
}
