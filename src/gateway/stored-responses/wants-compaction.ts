import { compactionTrigger } from "../../dialect/compaction.ts";
import type { DialectSurface } from "../../dialect/dialect-surface.ts";
import { asArray, asObject, type JsonObject } from "../../dialect/json.ts";
import { compactSurface } from "../../dialect/responses/compact-surface.ts";

/** Whether a call asks for its conversation, or the beginning of it, to be compacted. */
export function wantsCompaction(surface: DialectSurface, { input }: JsonObject): boolean {
  if (surface.dialect !== "dialect_responses") return false;
  const hasTrigger = asArray(input).some((item) => asObject(item)?.["type"] === compactionTrigger);
  return surface === compactSurface || hasTrigger;
}
