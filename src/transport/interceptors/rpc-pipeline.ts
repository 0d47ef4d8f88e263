import type { Interceptor } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import type { AddressRateLimiter } from "../../platform/rate-limit/address-limit.ts";
import type { ErrorDocUrlBuilder } from "../rest/error-body.ts";
import { createAccountConcurrencyInterceptor } from "./account-concurrency.ts";
import { createReadYourWritesInterceptor } from "./read-your-writes.ts";
import {
  createErrorsInterceptor,
  createToConnectErrorTranslator,
  type ThirdPartyErrorTranslator,
} from "./errors.ts";
import { createRpcAuthGate, type RequestAuthenticator, type RpcRequestGate } from "./gate.ts";
import { createIdempotencyInterceptor, type IdempotencyRecordStore } from "./idempotency.ts";
import {
  createStreamReauthInterceptor,
  type StreamLifetimeDependencies,
} from "./stream-lifetime.ts";
import { noStoreInterceptor } from "./no-store.ts";
import { createEntityManagerForkInterceptor } from "./unit-of-work.ts";
import { createValidationInterceptor, type RequestValidator } from "./validate.ts";

/** What calls need of the rest of the server. */
export interface RpcPipelineDependencies {
  readonly docUrl: ErrorDocUrlBuilder;
  readonly load: LoadAdmissionCheck;
  readonly authenticator: RequestAuthenticator;
  /** Warm it with the mounted services before listening. */
  readonly validator: RequestValidator;
  /** Errors of libraries that mean a refusal: `toDatabaseUnavailableError`, for instance. */
  readonly translateError: ThirdPartyErrorTranslator;
  /** Undefined where no method takes an `Idempotency-Key` (the tools service). */
  readonly idempotencyStore: IdempotencyRecordStore | undefined;
  readonly forkEntityManager: () => EntityManager;
  /**
   * Resolves when the caches of this process know every change committed so far.
   * Undefined where no call changes anything (the tools service).
   */
  readonly waitForChanges: (() => Promise<void>) | undefined;
  /** What ends streams with the credential of their caller; undefined where none needs one (the tools service). */
  readonly streams: Omit<StreamLifetimeDependencies, "authenticator"> | undefined;
  /** Counts calls of methods that need no credential; absent: they are not counted (the gateway). */
  readonly addressLimit?: AddressRateLimiter;
  /** Where bodies are counted as they arrive. */
  readonly bodies: RequestBodyMemoryBudget;
}

/** What every call goes through, whatever protocol it came by. */
export interface RpcPipeline {
  /** Before the body is read: load, credential and scope. */
  readonly gate: RpcRequestGate;
  /** Around the handler, outermost first. */
  readonly interceptors: Interceptor[];
  readonly docUrl: ErrorDocUrlBuilder;
}

/**
 * Puts the steps of a call in their one order: load, credential, scope, body (read by the
 * protocol), rules, concurrency of its account, idempotency key, handler. It is the order in
 * which refusals are found.
 */
export function createRpcPipeline(dependencies: RpcPipelineDependencies): RpcPipeline {
  const {
    docUrl,
    authenticator,
    validator,
    idempotencyStore,
    waitForChanges: changesHeard,
  } = dependencies;
  const { load, addressLimit, streams, bodies } = dependencies;
  const translate = createToConnectErrorTranslator({
    docUrl,
    translate: dependencies.translateError,
  });
  const interceptors = [
    createErrorsInterceptor(translate),
    noStoreInterceptor,
    createValidationInterceptor(validator),
    createAccountConcurrencyInterceptor(),
    ...(streams === undefined
      ? []
      : [createStreamReauthInterceptor({ ...streams, authenticator })]),
    ...(idempotencyStore === undefined ? [] : [createIdempotencyInterceptor(idempotencyStore)]),
    ...(changesHeard === undefined ? [] : [createReadYourWritesInterceptor(changesHeard)]),
    createEntityManagerForkInterceptor(dependencies.forkEntityManager),
  ];
  return {
    gate: createRpcAuthGate({ load, authenticator, addressLimit, bodies }, translate),
    interceptors,
    docUrl,
  };
}
