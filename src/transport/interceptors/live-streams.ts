import type { Interceptor, StreamRequest } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import type { Principal } from "../../platform/principal.ts";
import { principalKey } from "../../platform/request-context.ts";
import { methodPolicy } from "../../contract/method-policy.ts";
import { requestScopeKey } from "../request-scope.ts";
import { admitCaller, type CredentialResolver } from "./gate.ts";

/** Tells when a credential may have ended; implemented by the account domain. */
export interface EndedCredentials {
  /** Calls `changed` each time, until the function that is returned is called. */
  watch(principal: Principal, changed: () => void): () => void;
}

/** Bounds how many streams a credential has open; implemented by the account domain. */
export interface StreamSlots {
  /**
   * Counts one more until the function that is returned is called. Rejects with 429
   * `rate_limited` when there are too many.
   */
  open(principal: Principal, procedure: string): Promise<() => void>;
}

export interface LiveStreamDependencies {
  readonly authenticator: CredentialResolver;
  readonly credentials: EndedCredentials;
  readonly openStreams: StreamSlots;
  /** Resolves when this process knows every change committed so far. */
  readonly changesHeard: () => Promise<void>;
  readonly clock: Clock;
}

/** What a timer of Node takes at most. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Lets a stream live as long as its caller could open it. When the credential may
 * have ended it is asked for again, and the stream ends with the refusal that the
 * next call would get; each message waits for the same, so that nothing is told of
 * what happened after that end. Handlers stop when the signal of their request does.
 */
export function createLiveStreamsInterceptor(dependencies: LiveStreamDependencies): Interceptor {
  return (next) => async (request) => {
    const needsNone = methodPolicy(request.method).credentials.length === 0;
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
  readonly #dependencies: LiveStreamDependencies;
  readonly #ending = new AbortController();
  readonly #closers: (() => void)[];
  #expiry: NodeJS.Timeout | undefined;

  private constructor(
    request: StreamRequest,
    dependencies: LiveStreamDependencies,
    uncount: () => void,
  ) {
    this.#request = request;
    this.#dependencies = dependencies;
    this.signal = AbortSignal.any([request.signal, this.#ending.signal]);
    const principal = request.contextValues.get(principalKey);
    const unwatch = dependencies.credentials.watch(principal, () => void this.#look());
    this.#closers = [uncount, unwatch];
    this.#watchExpiry(principal);
  }

  /** Rejects with 429 where the caller has too many open. */
  static async begin(
    request: StreamRequest,
    dependencies: LiveStreamDependencies,
  ): Promise<StreamLife> {
    const { service, method, contextValues } = request;
    const procedure = `${service.typeName}/${method.name}`;
    const uncount = await dependencies.openStreams.open(contextValues.get(principalKey), procedure);
    return new StreamLife(request, dependencies, uncount);
  }

  /** Throws the refusal of a caller who could not open the stream now. */
  async confirm(): Promise<void> {
    await this.#look();
    this.throwIfEnded();
  }

  throwIfEnded(): void {
    this.#ending.signal.throwIfAborted();
  }

  close(): void {
    this.#ending.abort();
    for (const close of this.#closers) close();
    clearTimeout(this.#expiry);
  }

  async #look(): Promise<void> {
    try {
      // What was heard of the credential so far may be older than the message.
      await this.#dependencies.changesHeard();
      this.#watchExpiry(await this.#admit());
    } catch (error) {
      this.#ending.abort(error);
      this.close();
    }
  }

  #admit(): Promise<Principal> {
    const scope = this.#request.contextValues.get(requestScopeKey);
    if (scope === undefined) throw new Error("the request has no scope");
    return admitCaller(this.#request, scope, this.#dependencies.authenticator);
  }

  #watchExpiry(principal: Principal): void {
    clearTimeout(this.#expiry);
    const expiresAt = "expiresAt" in principal ? principal.expiresAt : undefined;
    if (expiresAt === undefined || this.#ending.signal.aborted) return;
    const ms = Math.min(Math.max(expiresAt - this.#dependencies.clock.now(), 1), longestTimerMs);
    this.#expiry = setTimeout(() => void this.#look(), ms).unref();
  }
}
