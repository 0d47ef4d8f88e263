import { compactionTriggerType } from "../../dialect/compaction.ts";
import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import { asElements, asObject, type JsonObject } from "../../dialect/json.ts";
import { compactSurface } from "../../dialect/responses/compact-surface.ts";

/** Whether a call asks for its conversation, or the beginning of it, to be compacted. */
export function wantsCompaction(surface: DialectSurface, { input }: JsonObject): boolean {
  if (surface.dialect !== "dialect_responses") return false;
  const hasTrigger = asElements(input).some(
    (item) => asObject(item)?.["type"] === compactionTriggerType,
  );
  return surface === compactSurface || hasTrigger;
}
