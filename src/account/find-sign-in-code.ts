import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { constantTimeEqual } from "../platform/crypto/keyed-hash.ts";
import { hashSignInCode, maxSignInAttempts } from "./sign-in-code.ts";
import { SignInCodeEntity, type SignInCode } from "./sign-in-code.entity.ts";
import type { TokenHasher } from "./token-hasher.ts";

/** A code that somebody presents for an address. */
export interface PresentedSignInCode {
  readonly emailNormalised: string;
  readonly code: string;
  readonly at: Date;
}

/** The request whose link holds the code. Nobody guesses it: wrong ones spend nothing. */
export async function findSignInCodeByLink(
  em: EntityManager,
  presented: PresentedSignInCode,
  hasher: TokenHasher,
): Promise<SignInCode | undefined> {
  const open = await em.find(SignInCodeEntity, openRequests(presented));
  return open.find(({ id, linkHash }) => isHashOf(presented, id, linkHash, hasher));
}

/**
 * The request whose digits the code is. Before they are compared, a try is taken
 * of every request of the address that has one left; `hadTries` says whether any
 * had.
 */
export async function verifySignInDigits(
  em: EntityManager,
  presented: PresentedSignInCode,
  hasher: TokenHasher,
): Promise<{ readonly request: SignInCode | undefined; readonly hadTries: boolean }> {
  const tried = await em.transactional((tx) => consumeAttempts(tx, presented));
  const request = tried.find(({ id, codeHash }) => isHashOf(presented, id, codeHash, hasher));
  return { request, hadTries: tried.length > 0 };
}

async function consumeAttempts(
  em: EntityManager,
  presented: PresentedSignInCode,
): Promise<SignInCode[]> {
  const open = await em.find(
    SignInCodeEntity,
    { ...openRequests(presented), tries: { $lt: maxSignInAttempts } },
    // In one order, so that two calls cannot wait for each other.
    { orderBy: { id: "asc" }, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  for (const request of open) request.tries += 1;
  return open;
}

function openRequests({ emailNormalised, at }: PresentedSignInCode) {
  return { emailNormalised, usedAt: null, expiresAt: { $gt: at } };
}

/** A request without hashes belongs to an address that may not sign in: no code is right. */
function isHashOf(
  { code }: PresentedSignInCode,
  requestId: string,
  hash: string | null,
  hasher: TokenHasher,
): boolean {
  return constantTimeEqual(hashSignInCode(hasher, requestId, code), hash ?? "");
}
