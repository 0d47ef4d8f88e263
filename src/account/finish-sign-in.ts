import { UniqueConstraintViolationException, type EntityManager } from "@mikro-orm/postgresql";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import { isSignInLinkCode } from "../platform/crypto/token.ts";
import { invalidRequestError, type ApiError } from "../platform/errors.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { parseEmailAddress, type ParsedEmailAddress } from "./email-address.ts";
import { verifySignInDigits, findSignInCodeByLink } from "./find-sign-in-code.ts";
import type { UnknownCredentialRateLimiter } from "./unknown-credential-limiter.ts";
import { createSession } from "./sessions.ts";
import { SignInCodeEntity, type SignInCode } from "./sign-in-code.entity.ts";
import type { TokenHasher } from "./token-hasher.ts";
import type { User } from "./user.entity.ts";
import { insertUser, findUserByEmail } from "./users.ts";

export interface FinishSignInDependencies {
  readonly fork: () => EntityManager;
  readonly hasher: TokenHasher;
  readonly background: Pick<BackgroundTasks, "run">;
  readonly unknownCredentials: Pick<UnknownCredentialRateLimiter, "spend">;
}

/** Who is signed in now; the token is shown this once. */
export interface SignInResult {
  readonly user: User;
  readonly token: string;
}

/**
 * Exchanges the mailed digits, or the code of the mailed link, for a session, and
 * makes the user when the address has none. Throws 400 with `param: code` for a
 * wrong, used or expired code, and 429 where too many of those came from the
 * caller's network; of several parallel calls with the right one, one gets the
 * session.
 */
export async function finishSignIn(
  em: EntityManager,
  actor: AuditActor,
  input: { readonly email: string; readonly code: string },
  dependencies: FinishSignInDependencies,
): Promise<SignInResult> {
  const address = parseEmailAddress(input.email);
  const { hasher, unknownCredentials: lookUps } = dependencies;
  const find = () => findRequest(em, actor, address, input.code.trim(), dependencies);
  const request = await lookUps.spend(actor.address ?? undefined, find);
  if (request === undefined) throw wrongCode();
  const signIn = () => em.transactional((tx) => enter(tx, actor, address, request.id, hasher));
  return signIn().catch((error: unknown) => {
    // Somebody else made the user in between; now it is there.
    if (error instanceof UniqueConstraintViolationException) return signIn();
    throw error;
  });
}

async function findRequest(
  em: EntityManager,
  actor: AuditActor,
  address: ParsedEmailAddress,
  code: string,
  { fork, hasher, background }: FinishSignInDependencies,
): Promise<SignInCode | undefined> {
  const presented = { emailNormalised: address.normalized, code, at: actor.at };
  if (isSignInLinkCode(code)) return findSignInCodeByLink(em, presented, hasher);
  const { request, hadTries } = await verifySignInDigits(em, presented, hasher);
  if (request === undefined && hadTries) {
    // Not awaited: its time would tell whether the address has a user. What spends
    // no try is not recorded, or a stranger could fill the log of another.
    void background.run("recording a failed sign-in", () => recordFailure(fork(), actor, address));
  }
  return request;
}

async function enter(
  tx: EntityManager,
  actor: AuditActor,
  address: ParsedEmailAddress,
  requestId: string,
  hasher: TokenHasher,
): Promise<SignInResult> {
  const unused = { id: requestId, usedAt: null };
  const used = await tx.nativeUpdate(SignInCodeEntity, unused, { usedAt: actor.at });
  if (used !== 1) throw wrongCode();
  const user =
    (await findUserByEmail(tx, address.normalized)) ?? insertUser(tx, actor, address, null);
  if (user.disabledAt !== null) throw wrongCode();
  const { token } = createSession(tx, actor, user, hasher);
  const { id: userId } = user;
  recordAudit(tx, actor, { accountId: userId, userId, type: "login.succeeded", target: userId });
  return { user, token };
}

async function recordFailure(
  em: EntityManager,
  actor: AuditActor,
  { normalized: normalised }: ParsedEmailAddress,
): Promise<void> {
  const user = await findUserByEmail(em, normalised);
  if (user === undefined) return;
  recordAudit(em, actor, { accountId: user.id, type: "login.failed", target: user.id });
  await em.flush();
}

function wrongCode(): ApiError {
  return invalidRequestError(
    "code",
    "The code is wrong, used, older than ten minutes or was tried too often; open the link of the message, or ask for a new code.",
  );
}
