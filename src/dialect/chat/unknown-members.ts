import type { RequestFieldReader } from "../body-reader.ts";
import { isEmptyArrayOrObject } from "../json.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";

const messageFields = new Set([
  "role",
  "content",
  "name",
  "tool_call_id",
  "tool_calls",
  "function_call",
  "refusal",
  "audio",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "thinking_blocks",
  "cache_control",
  "prompt_cache_breakpoint",
]);
/** Parts of another type are kept whole. */
const partFields = new Set([
  "type",
  "text",
  "image_url",
  "file",
  "refusal",
  "cache_control",
  "prompt_cache_breakpoint",
]);
const partTypes = new Set(["text", "image_url", "file", "refusal"]);
/** Those who send a stream's calls back leave its `index` in. */
const callFields = new Set([
  "id",
  "type",
  "function",
  "custom",
  "index",
  "cache_control",
  "prompt_cache_breakpoint",
]);

/** Enters in the ledger what a message holds beside what is read, the sources of an answer among it. */
export function warnAboutChatUnknownMembers(
  item: RequestFieldReader,
  ledger: ConversionWarningCollector,
): void {
  dropExtraMembers(item, messageFields, ledger);
  if (Array.isArray(item.value["content"])) {
    for (const part of item.objects("content")) {
      if (partTypes.has(part.string("type") ?? "")) dropExtraMembers(part, partFields, ledger);
    }
  }
  for (const call of item.objects("tool_calls")) dropExtraMembers(call, callFields, ledger);
}

function dropExtraMembers(
  item: RequestFieldReader,
  known: ReadonlySet<string>,
  ledger: ConversionWarningCollector,
): void {
  for (const name of item.unknownNames(known)) {
    if (isEmptyValue(item.value[name])) continue;
    ledger.drop(item.pathOf(name), name === "annotations" ? "unsupported" : "unknown");
  }
}

function isEmptyValue(value: unknown): boolean {
  const says = value !== undefined && value !== null && value !== false && value !== "";
  return !says || isEmptyArrayOrObject(value);
}
