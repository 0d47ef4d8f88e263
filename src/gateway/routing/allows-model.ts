import { compileWildcardMatcher } from "../../platform/wildcard-pattern.ts";

/** By the patterns of a key: a list of models matches them with thousands of ids. */
const matchers = new WeakMap<readonly string[], (canonicalId: string) => boolean>();

/** Whether a key with these patterns may use the model; no pattern allows every model. */
export function isModelAllowed(patterns: readonly string[], canonicalId: string): boolean {
  if (patterns.length === 0) return true;
  let matches = matchers.get(patterns);
  if (matches === undefined) {
    matches = compileWildcardMatcher(patterns);
    matchers.set(patterns, matches);
  }
  return matches(canonicalId);
}
