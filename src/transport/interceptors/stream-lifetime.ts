import type { Interceptor, StreamRequest } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { PrincipalExpiryRecheckTimer } from "../../platform/expiry-timer.ts";
import type { Principal } from "../../platform/principal.ts";
import { principalKey } from "../../platform/request-context.ts";
import { readMethodPolicy } from "../../contract/method-policy.ts";
import { httpRequestScopeKey } from "../request-scope.ts";
import { resolveAuthorizedPrincipal, type RequestAuthenticator } from "./gate.ts";

/** Tells when a credential may have ended; implemented by the account domain. */
export interface CredentialEndWatcher {
  /** Calls `changed` each time, until the function that is returned is called. */
  watch(principal: Principal, changed: () => void): () => void;
}

/** Bounds how many streams a credential has open; implemented by the account domain. */
export interface CredentialStreamSlots {
  /**
   * Counts one more until the function that is returned is called. Rejects with 429
   * `rate_limited` when there are too many.
   */
  open(principal: Principal, procedure: string): Promise<() => void>;
}

export interface StreamLifetimeDependencies {
  readonly authenticator: RequestAuthenticator;
  readonly credentials: CredentialEndWatcher;
  readonly openStreams: CredentialStreamSlots;
  /** Resolves when this process knows every change committed so far. */
  readonly waitForChanges: () => Promise<void>;
  readonly clock: Clock;
}

/**
 * Lets a stream live as long as its caller could open it. When the credential may
 * have ended it is asked for again, and the stream ends with the refusal that the
 * next call would get; each message waits for the same, so that nothing is told of
 * what happened after that end. Handlers stop when the signal of their request does.
 */
export function createStreamReauthInterceptor(
  dependencies: StreamLifetimeDependencies,
): Interceptor {
  return (next) => async (request) => {
    const needsNone = readMethodPolicy(request.method).credentials.length === 0;
    if (!request.stream || needsNone) return next(request);
    const life = await StreamLife.begin(request, dependencies);
    const response = await next({ ...request, signal: life.signal }).catch((error: unknown) => {
      life.close();
      throw error;
    });
    if (!response.stream) return response;
    return { ...response, message: whileAlive(response.message, life) };
  };
}

async function* whileAlive<Item>(
  messages: AsyncIterable<Item>,
  life: StreamLife,
): AsyncIterable<Item> {
  try {
    for await (const message of messages) {
      await life.confirm();
      yield message;
    }
    life.throwIfEnded();
  } finally {
    life.close();
  }
}

/** The time in which the caller of one stream may hear it. */
class StreamLife {
  /** Aborted when the caller leaves, and with the refusal when it may not hear any more. */
  readonly signal: AbortSignal;
  readonly #request: StreamRequest;
  readonly #dependencies: StreamLifetimeDependencies;
  readonly #ending = new AbortController();
  readonly #closers: (() => void)[];
  readonly #expiry: PrincipalExpiryRecheckTimer;

  private constructor(
    request: StreamRequest,
    dependencies: StreamLifetimeDependencies,
    uncount: () => void,
  ) {
    this.#request = request;
    this.#dependencies = dependencies;
    this.signal = AbortSignal.any([request.signal, this.#ending.signal]);
    const principal = request.contextValues.get(principalKey);
    const unwatch = dependencies.credentials.watch(principal, () => void this.#recheck());
    this.#closers = [uncount, unwatch];
    this.#expiry = new PrincipalExpiryRecheckTimer(dependencies.clock, () => void this.#recheck());
    this.#expiry.set(principal);
  }

  /** Rejects with 429 where the caller has too many open. */
  static async begin(
    request: StreamRequest,
    dependencies: StreamLifetimeDependencies,
  ): Promise<StreamLife> {
    const { service, method, contextValues } = request;
    const procedure = `${service.typeName}/${method.name}`;
    const uncount = await dependencies.openStreams.open(contextValues.get(principalKey), procedure);
    return new StreamLife(request, dependencies, uncount);
  }

  /** Throws the refusal of a caller who could not open the stream now. */
  async confirm(): Promise<void> {
    await this.#recheck();
    this.throwIfEnded();
  }

  throwIfEnded(): void {
    this.#ending.signal.throwIfAborted();
  }

  close(): void {
    this.#ending.abort();
    for (const close of this.#closers) close();
    this.#expiry.stop();
  }

  async #recheck(): Promise<void> {
    try {
      // What was heard of the credential so far may be older than the message.
      await this.#dependencies.waitForChanges();
      this.#expiry.set(await this.#admit());
    } catch (error) {
      this.#ending.abort(error);
      this.close();
    }
  }

  #admit(): Promise<Principal> {
    const scope = this.#request.contextValues.get(httpRequestScopeKey);
    if (scope === undefined) throw new Error("the request has no scope");
    return resolveAuthorizedPrincipal(this.#request, scope, this.#dependencies.authenticator);
  }
}
