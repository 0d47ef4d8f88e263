import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { BackgroundTasks } from "../platform/background-tasks.ts";
import { ConfigurationError } from "../platform/configuration/configuration-error.ts";
import { generateSignInLinkCode, randomDigits } from "../platform/crypto/token.ts";
import type { MailQueue } from "../platform/mail/mail-queue.ts";
import { toRateLimitNetwork } from "../platform/rate-limit/address-limit.ts";
import { recordAudit, type AuditActor } from "../domain/audit/audit.ts";
import { emailDomain, parseEmailAddress, type ParsedEmailAddress } from "./email-address.ts";
import { hashSignInCode, signInCodeDigits, signInCodeLifetimeMs } from "./sign-in-code.ts";
import { SignInCodeEntity, type SignInCode } from "./sign-in-code.entity.ts";
import { buildSignInMail } from "./sign-in-mail.ts";
import { assertSignInRateLimit } from "./sign-in-rate.ts";
import type { TeamMembershipLookup } from "./team-membership.ts";
import type { TokenHasher } from "./token-hasher.ts";
import type { User } from "./user.entity.ts";
import { findUserByEmail } from "./users.ts";

/**
 * How long every request for a code takes. It covers looking the address up and
 * handing the mail over, so that neither the answer nor its time tells whether
 * the address is known.
 */
const responseMs = 250;

export interface SignInCodeMailerDependencies {
  readonly fork: () => EntityManager;
  readonly hasher: TokenHasher;
  readonly mail: MailQueue;
  readonly teams: TeamMembershipLookup;
  readonly background: Pick<BackgroundTasks, "run">;
  /** `sign_in` of the configuration file. */
  readonly policy: { readonly open: boolean; readonly domains: readonly string[] };
  /** Where the link of the mail points. */
  readonly publicUrl: () => string;
}

/** Mails one-time codes to addresses that may sign in. */
export class SignInCodeMailer {
  readonly #dependencies: SignInCodeMailerDependencies;
  readonly #domains: ReadonlySet<string>;

  constructor(dependencies: SignInCodeMailerDependencies) {
    this.#dependencies = dependencies;
    this.#domains = new Set(dependencies.policy.domains.map(normaliseDomain));
  }

  /**
   * Sends a code to an address that may sign in; for any other the answer is the
   * same. Throws 400 for what is no address and 429 `rate_limited`.
   */
  async start(em: EntityManager, actor: AuditActor, email: string): Promise<void> {
    const address = parseEmailAddress(email);
    const request = await this.#addRequest(em, actor, address);
    void this.#dependencies.background.run("sending a sign-in code", () =>
      this.#send(request.id, address, actor),
    );
    await delay(responseMs);
  }

  /** Written for every address alike; earlier codes stay as they are, or a stranger could end them. */
  #addRequest(
    em: EntityManager,
    actor: AuditActor,
    email: ParsedEmailAddress,
  ): Promise<SignInCode> {
    return em.transactional(async (tx) => {
      const { normalized: emailNormalised } = email;
      const requester = { address: toRateLimitNetwork(actor.address ?? ""), emailNormalised };
      await assertSignInRateLimit(tx, requester, actor.at);
      const request = tx.create(SignInCodeEntity, {
        id: randomUUID(),
        ...requester,
        codeHash: null,
        linkHash: null,
        tries: 0,
        createdAt: actor.at,
        expiresAt: new Date(actor.at.getTime() + signInCodeLifetimeMs),
        usedAt: null,
      });
      tx.persist(request);
      return request;
    });
  }

  async #send(requestId: string, address: ParsedEmailAddress, actor: AuditActor): Promise<void> {
    const { fork, hasher, mail, publicUrl } = this.#dependencies;
    const em = fork();
    const user = await findUserByEmail(em, address.normalized);
    if (!(await this.#canSignIn(em, address, user))) return;
    const codes = { code: randomDigits(signInCodeDigits), linkCode: generateSignInLinkCode() };
    // To a user's own spelling of the address: what a stranger typed is never mailed to.
    const mailbox = user === undefined ? address.mailbox : parseEmailAddress(user.email).mailbox;
    const message = buildSignInMail({ mailbox, ...codes, publicUrl: publicUrl() });
    const promise = { accountId: user?.id ?? null, lifetimeMs: signInCodeLifetimeMs };
    const mailId = await em.transactional(async (tx) => {
      const codeHash = hashSignInCode(hasher, requestId, codes.code);
      const linkHash = hashSignInCode(hasher, requestId, codes.linkCode);
      await tx.nativeUpdate(SignInCodeEntity, { id: requestId }, { codeHash, linkHash });
      if (user !== undefined) {
        recordAudit(tx, actor, { accountId: user.id, type: "login.code_sent", target: user.id });
      }
      return mail.enqueue(tx, message, promise);
    });
    await mail.deliver(mailId);
  }

  async #canSignIn(
    em: EntityManager,
    { normalized: normalised }: ParsedEmailAddress,
    user: User | undefined,
  ): Promise<boolean> {
    const { policy, teams } = this.#dependencies;
    if (user !== undefined) return user.disabledAt === null;
    if (policy.open || this.#domains.has(emailDomain(normalised))) return true;
    return teams.hasPendingInvite(em, normalised);
  }
}

function normaliseDomain(domain: string): string {
  try {
    return emailDomain(parseEmailAddress(`anybody@${domain}`).normalized);
  } catch {
    throw new ConfigurationError("sign_in.domains", `"${domain}" is no domain name`);
  }
}
