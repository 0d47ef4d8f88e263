import { matchesWildcard } from "../../platform/wildcard-pattern.ts";

/** Whether a key with these patterns may use the model; no pattern allows every model. */
export function isModelAllowed(patterns: readonly string[], canonicalId: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matchesWildcard(pattern, canonicalId));
}
