import { matchesPattern } from "../../platform/star-pattern.ts";

/** Whether a key with these patterns may use the model; no pattern allows every model. */
export function allowsModel(patterns: readonly string[], canonicalId: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matchesPattern(pattern, canonicalId));
}
