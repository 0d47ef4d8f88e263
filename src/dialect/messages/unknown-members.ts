import { recordToMap } from "../../platform/lookup-table.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import { asObject, isEmptyArrayOrObject } from "../json.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";

const messageFields = new Set(["role", "content", "clear_at"]);

/** What is read of a block, by its type; blocks of other types are kept whole. */
const blockFields = recordToMap<ReadonlySet<string>>({
  text: new Set(["text", "citations"]),
  image: new Set(["source", "transformations"]),
  document: new Set(["source", "title", "context", "citations"]),
  search_result: new Set(["source", "title", "content"]),
  tool_use: new Set(["id", "name", "input"]),
  tool_result: new Set(["tool_use_id", "content", "is_error"]),
  thinking: new Set(["thinking", "signature"]),
  redacted_thinking: new Set(["data"]),
});
const everyBlock = new Set(["type", "cache_control"]);

/** Known members that no other dialect has. */
const nativeFields = new Set(["caller", "citations", "output_config"]);

/** Enters in the ledger what a message and its blocks hold beside what is read. */
export function warnAboutMessagesUnknownMembers(
  message: RequestFieldReader,
  ledger: ConversionWarningCollector,
): void {
  dropExtraMembers(message, (name) => messageFields.has(name), ledger);
  for (const block of blocksOf(message)) dropOfBlock(block, ledger);
}

function blocksOf(holder: RequestFieldReader): readonly RequestFieldReader[] {
  return Array.isArray(holder.value["content"]) ? holder.objects("content") : [];
}

function dropOfBlock(block: RequestFieldReader, ledger: ConversionWarningCollector): void {
  const fields = blockFields.get(block.string("type") ?? "");
  if (fields === undefined) return;
  dropExtraMembers(block, (name) => everyBlock.has(name) || fields.has(name), ledger);
  if (block.value["type"] !== "tool_result") return;
  for (const inner of blocksOf(block)) dropOfBlock(inner, ledger);
}

function dropExtraMembers(
  object: RequestFieldReader,
  isKnown: (name: string) => boolean,
  ledger: ConversionWarningCollector,
): void {
  for (const [name, value] of Object.entries(object.value)) {
    if (isKnown(name) || isEmptyValue(name, value)) continue;
    ledger.drop(object.pathOf(name), nativeFields.has(name) ? "unsupported" : "unknown");
  }
}

/** Null, what is empty, what is off, and a call that the model itself made. */
function isEmptyValue(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (name === "caller") return asObject(value)?.["type"] === "direct";
  if (name === "citations") return asObject(value)?.["enabled"] === false;
  return isEmptyArrayOrObject(value);
}
