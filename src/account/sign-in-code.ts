import type { TokenHasher } from "./token-hasher.ts";

export const signInCodeDigits = 8;
export const signInCodeLifetimeMs = 10 * 60_000;
export const maxSignInAttempts = 5;

/** What is stored of a code: bound to its request, so that equal codes have different hashes. */
export function hashSignInCode(hasher: TokenHasher, requestId: string, code: string): string {
  return hasher.hash(`sign-in ${requestId} ${code}`).hash;
}
