import { isDeepStrictEqual } from "node:util";
import type { AuditDetails } from "./audit-event.entity.ts";

/** The fields that differ, on both sides; undefined when none does. */
export function diffAuditEventDetails(
  before: AuditDetails,
  after: AuditDetails,
): { before: AuditDetails; after: AuditDetails } | undefined {
  const changed = Object.keys({ ...before, ...after }).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  if (changed.length === 0) return undefined;
  return { before: pick(before, changed), after: pick(after, changed) };
}

function pick(details: AuditDetails, fields: readonly string[]): AuditDetails {
  return Object.fromEntries(fields.map((field) => [field, details[field] ?? null]));
}
