import type { Clock } from "../platform/clock.ts";
import { ApiError } from "../platform/errors.ts";
import { computeVendorLoginRefreshTimes, type VendorLoginRefreshTimes } from "./login-times.ts";
import type { CallableVendor, RefreshableVendorLogin } from "../domain/callable-vendor.ts";
import type { VendorLoginCredential } from "./vendor-secrets.ts";
import type { MaybePromise } from "../platform/maybe-promise.ts";
import { withTimeoutFallback } from "../platform/with-timeout.ts";

export interface LinkedVendorLoginDependencies {
  readonly credential: VendorLoginCredential;
  readonly identity: object;
  readonly clock: Clock;
  /** The vendor that this login belongs to, with its access token. */
  readonly vendor: () => CallableVendor;
  /** The vendor as it is linked now; undefined: it was unlinked. */
  readonly stored: () => MaybePromise<CallableVendor | undefined>;
  /** Replaces the access token; resolves with the refusal where that fails. */
  readonly renew: (why: "due" | "refused") => Promise<ApiError | undefined>;
}

/** So long a call waits for a new token as long as the old one lives. */
const maxWaitMs = 3000;

/** One access token of a linked login, and the way to the next. */
export class LinkedVendorLogin implements RefreshableVendorLogin {
  readonly #dependencies: LinkedVendorLoginDependencies;
  readonly #times: VendorLoginRefreshTimes;

  constructor(dependencies: LinkedVendorLoginDependencies) {
    this.#dependencies = dependencies;
    this.#times = computeVendorLoginRefreshTimes(dependencies.credential);
  }

  get identity(): object {
    return this.#dependencies.identity;
  }

  get hasEnded(): boolean {
    return this.#dependencies.credential.hasEnded === true;
  }

  currentVendor(): MaybePromise<CallableVendor> {
    const { clock, vendor, renew } = this.#dependencies;
    const now = clock.now();
    if (this.hasEnded || now < this.#times.refreshAt) return vendor();
    const renewal = renew("due");
    return now < this.#times.dueAt ? vendor() : this.#waitForRefresh(renewal);
  }

  async refresh(): Promise<CallableVendor | undefined> {
    const known = await this.#other();
    if (known !== undefined) return known;
    if (this.hasEnded) return undefined;
    const failure = await this.#dependencies.renew("refused");
    if (failure !== undefined) throw failure;
    return this.#other();
  }

  /** What the renewal led to; where it fails or takes long, the old token while that lives. */
  async #waitForRefresh(renewal: Promise<ApiError | undefined>): Promise<CallableVendor> {
    const early = await withTimeoutFallback(renewal, maxWaitMs, "late");
    if (early === "late" && this.#lives()) return this.#dependencies.vendor();
    const failure = await renewal;
    if (failure === undefined) return this.#stored();
    if (this.#lives()) return this.#dependencies.vendor();
    throw failure;
  }

  #lives(): boolean {
    return this.#dependencies.clock.now() < this.#times.expiresAt;
  }

  /** The vendor as it is linked now, if that is with another token, or without hope. */
  async #other(): Promise<CallableVendor | undefined> {
    const stored = await this.#stored();
    const isSame = stored.token.reveal() === this.#dependencies.credential.accessToken;
    const hasEndedSince = stored.login?.hasEnded === true && !this.hasEnded;
    return isSame && !hasEndedSince ? undefined : stored;
  }

  async #stored(): Promise<CallableVendor> {
    const stored = await this.#dependencies.stored();
    if (stored !== undefined) return stored;
    const { id } = this.#dependencies.vendor();
    throw new ApiError(
      "no_vendor_credential",
      `The login for \`${id}\` was unlinked; link one with PUT /v1/vendors/${id}/credential.`,
    );
  }
}
