import { compactionTriggerType } from "../../dialect/compaction.ts";
import type { DialectOperation } from "../../dialect/dialect-surface.ts";
import { asArrayOrEmpty, asObject, type JsonObject } from "../../dialect/json.ts";
import { compactionDialectOperation } from "../../dialect/responses/compact-surface.ts";

/** Whether a call asks for its conversation, or the beginning of it, to be compacted. */
export function wantsCompaction(surface: DialectOperation, { input }: JsonObject): boolean {
  if (surface.dialect !== "dialect_responses") return false;
  const hasTrigger = asArrayOrEmpty(input).some(
    (item) => asObject(item)?.["type"] === compactionTriggerType,
  );
  return surface === compactionDialectOperation || hasTrigger;
}
