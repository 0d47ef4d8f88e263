import { setTimeout as delay } from "node:timers/promises";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Logger } from "pino";
import { recordAudit, createServerAuditLogActor } from "../domain/audit/audit.ts";
import { monotonicClock, type Clock } from "../platform/clock.ts";
import type { TokenEndpoint } from "../platform/configuration/configuration.ts";
import { toDatabaseUnavailableError } from "../platform/database/database-unavailable.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import type { EndpointProbeReport } from "../platform/endpoint/probe-report.ts";
import { ApiError } from "../platform/errors.ts";
import { RateLimitBuckets, type RequestRateLimit } from "../platform/rate-limit/request-buckets.ts";
import {
  claimVendorCredentialRefresh,
  releaseVendorCredentialRefresh,
  storeRefreshedVendorCredential,
  type VendorCredentialRefreshClaim,
} from "./refresh-claim.ts";
import { refreshOAuthTokens, type OAuthTokens } from "./token-request.ts";
import { VendorCredentialEntity } from "./vendor-credential.entity.ts";
import type { VendorLoginCredential, VendorCredentialSealer } from "./vendor-secrets.ts";

export interface SingleFlightLoginRefresherDependencies {
  readonly fork: () => EntityManager;
  readonly clock: Clock;
  readonly dialer: Pick<Dialer, "dispatcher">;
  readonly secrets: VendorCredentialSealer;
  readonly log: Logger;
}

/** A login whose access token is spent, or soon will be. */
export interface ExpiringVendorLogin {
  /** Of the linked credential. */
  readonly id: string;
  readonly vendor: string;
  readonly endpoint: TokenEndpoint;
  /** The access token that is to be replaced. */
  readonly accessToken: string;
  /** It ends, or the vendor refused it before its end. */
  readonly reason: "due" | "refused";
}

/** How often tokens are replaced because the vendor refused them: not at every call. */
const refusedLimit: RequestRateLimit = { requestsPerMinute: 3, burst: 3 };

/** After a failure the endpoint is not asked for this login again for so long. */
const pauseMs = 5000;

/** How often, and how long, a process looks whether another one is done. */
const pollMs = 100;
const pollForMs = 12_000;

/** Pauses before each further try to save what cannot be got a second time. */
const saveAgainMs = [200, 500, 1000, 2000, 4000];

/**
 * Gets new tokens for linked logins and saves them. A refresh token is spent by one
 * process at a time and once only: here the calls of one login share a flight,
 * between processes a claim in the row decides.
 */
export class SingleFlightLoginRefresher {
  readonly #dependencies: SingleFlightLoginRefresherDependencies;
  readonly #inFlight = new Map<string, Promise<ApiError | undefined>>();
  /** Logins that could not be renewed a moment ago. */
  readonly #pauses = new Map<string, ApiError>();
  readonly #rejected: RateLimitBuckets;

  constructor(dependencies: SingleFlightLoginRefresherDependencies) {
    this.#dependencies = dependencies;
    this.#rejected = new RateLimitBuckets(monotonicClock);
  }

  /**
   * Replaces a spent access token, if nobody has yet. Resolves, after ten seconds
   * or so at most, when the stored login is another one, ended, or gone (read it
   * again), or with the refusal for a call that cannot do without. Of a vendor that
   * refuses one token after the other nothing is asked. Never rejects. `changed` is
   * called once, before anybody goes on.
   */
  refresh(login: ExpiringVendorLogin, changed: () => void): Promise<ApiError | undefined> {
    const { id, reason: why } = login;
    const paused = this.#pauses.get(id);
    if (paused !== undefined) return Promise.resolve(paused);
    const running = this.#inFlight.get(id);
    if (running !== undefined) return running;
    if (why === "refused" && !this.#rejected.take(id, refusedLimit).allowed) {
      return Promise.resolve(undefined);
    }
    const flight = this.#refreshOnce(login, changed).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, flight);
    return flight;
  }

  /** Waits for what is on its way: tokens that were given must be saved. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  async #refreshOnce(
    login: ExpiringVendorLogin,
    changed: () => void,
  ): Promise<ApiError | undefined> {
    const failure = await this.#attempt(login).catch((error: unknown) => this.#failureOf(error));
    if (failure === undefined) {
      changed();
      return undefined;
    }
    const { id, vendor } = login;
    this.#dependencies.log.warn(
      { vendor, credential: id, reason: failure.message },
      "login not renewed",
    );
    this.#pauses.set(id, failure);
    setTimeout(() => this.#pauses.delete(id), pauseMs).unref();
    return failure;
  }

  async #attempt(login: ExpiringVendorLogin): Promise<ApiError | undefined> {
    const { fork, clock } = this.#dependencies;
    const until = clock.now() + pollForMs;
    while (clock.now() < until) {
      const claimed = await claimVendorCredentialRefresh(fork(), login.id);
      if (claimed !== undefined) return this.#replace(login, claimed);
      if (!(await this.#isStillSpent(login))) return undefined;
      await delay(pollMs);
    }
    return refreshFailed(login.vendor, "is being asked by another process, without an answer");
  }

  /** Whether the row has the access token yet that is to be replaced. */
  async #isStillSpent({ id, accessToken }: ExpiringVendorLogin): Promise<boolean> {
    const { fork, secrets } = this.#dependencies;
    const row = await fork().findOne(VendorCredentialEntity, { id }, { disableIdentityMap: true });
    if (row === null) return false;
    const stored = secrets.open(row);
    return stored.kind === "login" && stored.accessToken === accessToken && !stored.hasEnded;
  }

  async #replace(
    login: ExpiringVendorLogin,
    claimed: VendorCredentialRefreshClaim,
  ): Promise<ApiError | undefined> {
    const { fork, secrets, dialer } = this.#dependencies;
    try {
      const stored = secrets.open(claimed);
      const isSpent = stored.kind === "login" && stored.accessToken === login.accessToken;
      if (!isSpent || stored.hasEnded === true || stored.refreshToken === undefined) {
        await releaseVendorCredentialRefresh(fork(), claimed);
        return undefined;
      }
      const { vendor, endpoint } = login;
      const pool = `tokens:${vendor}`;
      const answer = await refreshOAuthTokens(dialer, pool, endpoint, stored.refreshToken);
      if (answer.kind === "granted")
        return await this.#grant(login, claimed, stored, answer.tokens);
      if (answer.kind === "ended") return await this.#end(login, claimed, stored);
      await releaseVendorCredentialRefresh(fork(), claimed);
      return refreshFailed(vendor, answer.reason);
    } catch (error) {
      await releaseVendorCredentialRefresh(fork(), claimed).catch(() => undefined);
      throw error;
    }
  }

  #grant(
    login: ExpiringVendorLogin,
    claimed: VendorCredentialRefreshClaim,
    stored: VendorLoginCredential,
    { accessToken, refreshToken, expiresIn }: OAuthTokens,
  ): Promise<undefined> {
    const now = this.#dependencies.clock.now();
    const expiresAt =
      expiresIn === undefined ? undefined : new Date(now + expiresIn * 1000).toISOString();
    const renewed: VendorLoginCredential = {
      ...stored,
      accessToken,
      refreshToken: refreshToken ?? stored.refreshToken,
      expiresAt,
      issuedAt: new Date(now).toISOString(),
    };
    // That it was refused is no news of the new token.
    const probe = claimed.probe?.error === "http_401" ? null : claimed.probe;
    return this.#save(login, claimed, renewed, probe, "vendor.login_renewed");
  }

  /** In words of a probe: the vendor takes this credential no more. */
  #end(
    login: ExpiringVendorLogin,
    claimed: VendorCredentialRefreshClaim,
    stored: VendorLoginCredential,
  ): Promise<undefined> {
    const at = new Date(this.#dependencies.clock.now()).toISOString();
    const probe = { ok: false, modelsFound: undefined, error: "http_401", at } as const;
    const ended = { ...stored, hasEnded: true };
    return this.#save(login, claimed, ended, probe, "vendor.login_ended");
  }

  async #save(
    { vendor }: ExpiringVendorLogin,
    claimed: VendorCredentialRefreshClaim,
    credential: VendorLoginCredential,
    probe: EndpointProbeReport | null,
    type: "vendor.login_renewed" | "vendor.login_ended",
  ): Promise<undefined> {
    const { fork, clock, secrets, log } = this.#dependencies;
    const { id, accountId } = claimed;
    const sealed = secrets.seal(id, credential);
    const after = { credential: "login", expires_at: credential.expiresAt ?? null };
    const write = (): Promise<boolean> =>
      fork().transactional(async (em) => {
        const isSaved = await storeRefreshedVendorCredential(em, claimed, sealed, probe);
        if (isSaved)
          recordAudit(em, createServerAuditLogActor(clock), {
            accountId,
            type,
            target: vendor,
            after,
          });
        return isSaved;
      });
    const isSaved = await withRetry(write);
    log.info({ vendor, credential: id, event: type, saved: isSaved }, "login");
    return undefined;
  }

  #failureOf(error: unknown): ApiError {
    const unavailable = toDatabaseUnavailableError(error);
    if (unavailable !== undefined) return unavailable;
    this.#dependencies.log.error({ err: error }, "a login could not be renewed");
    return new ApiError("internal_error", "The server failed; report the `request_id`.", {
      cause: error,
    });
  }
}

/** Tries again while the database is away: the tokens that were spent do not come back. */
async function withRetry<Value>(write: () => Promise<Value>): Promise<Value> {
  for (const pause of saveAgainMs) {
    try {
      return await write();
    } catch (error) {
      if (toDatabaseUnavailableError(error) === undefined) throw error;
      await delay(pause);
    }
  }
  return write();
}

function refreshFailed(vendor: string, reason: string): ApiError {
  return new ApiError(
    "upstream_unreachable",
    `The login for \`${vendor}\` could not be renewed: its token endpoint ${reason}. Try again; if it stays so, ask the operator.`,
    { retryAfterSeconds: pauseMs / 1000 },
  );
}
