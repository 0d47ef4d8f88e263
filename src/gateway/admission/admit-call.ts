import type { Clock } from "../../platform/clock.ts";
import { ApiError } from "../../platform/errors.ts";
import type { LoadAdmissionCheck } from "../../platform/load/load-shedder.ts";
import { computeRetryAfterSeconds } from "../../platform/rate-limit/rate-limit-headers.ts";
import type { RequestRateLimit } from "../../platform/rate-limit/request-buckets.ts";
import type { RequestRateLimiter } from "../../platform/rate-limit/request-limiter.ts";
import type { InFlightCallCounter } from "./in-flight-calls.ts";
import { readCallControlHeaders, type CallControlHeaders } from "./control-headers.ts";
import { newResourceId } from "../../platform/ids.ts";
import type { CallProgress } from "../call/call-progress.ts";
import type { HeaderAdmittedCall, ReceivedModelCall } from "../call/model-call.ts";
import type { CallerKeyAuthenticator } from "../ports.ts";
import type { CallerKey } from "../../domain/caller-key.ts";
import type { MaybePromise } from "../../platform/maybe-promise.ts";
import { isSyncValue, chainMaybePromise } from "../../platform/maybe-promise.ts";

/** One account may have a quarter of the calls that a process takes. */
const accountShares = 4;

export interface AdmissionDependencies {
  readonly load: LoadAdmissionCheck;
  readonly authenticator: CallerKeyAuthenticator;
  readonly buckets: RequestRateLimiter;
  /** Of keys that have no limit of their own. */
  readonly defaultLimit: RequestRateLimit;
  readonly inFlight: InFlightCallCounter;
  /** Calls under way at once of keys that have no limit of their own. */
  readonly concurrentRequests: number;
  /** The same of all keys together. */
  readonly processRequests: number;
  readonly clock: Clock;
}

/**
 * Lets a call in by its headers alone, before its body is read: load, key, scope,
 * `x-svc-*` headers, calls under way, request bucket, in this order: a call that
 * is too many takes nothing out of the bucket. Synchronous when the key is warm and
 * its bucket in this process. Throws 401, 403, 400, 429 or 503; a refusal of a key
 * that was recognised shows its bucket all the same.
 */
export function admitCall(
  admission: AdmissionDependencies,
  arrived: ReceivedModelCall,
  progress: CallProgress,
): MaybePromise<HeaderAdmittedCall> {
  const { load, authenticator } = admission;
  load.assertAccepting();
  const refused = (key: CallerKey): void => setRateLimitState(admission, arrived, progress, key);
  const { headers, address } = arrived;
  const key = authenticator.authenticateModelCall(headers, undefined, refused, address);
  return chainMaybePromise(key, (found) => admitKey(admission, arrived, progress, found));
}

/** Every answer from now on tells how much the key may still ask for, without anything taken. */
function setRateLimitState(
  { buckets, defaultLimit, clock }: AdmissionDependencies,
  arrived: ReceivedModelCall,
  progress: CallProgress,
  key: CallerKey,
): void {
  const { principal, rateLimit = defaultLimit } = key;
  const bucket = buckets.peek(principal.keyId, rateLimit);
  progress.call = { ...arrived, key, bucket, rateLimitAt: clock.now() };
}

function admitKey(
  admission: AdmissionDependencies,
  arrived: ReceivedModelCall,
  progress: CallProgress,
  key: CallerKey,
): MaybePromise<HeaderAdmittedCall> {
  const controls = checkHeaders(admission, arrived, progress, key);
  const { buckets, defaultLimit, clock } = admission;
  const { principal, rateLimit = defaultLimit } = key;
  const bucketAt = clock.now();
  const reading = buckets.take(principal.keyId, rateLimit);
  // The caller may leave while the bucket is asked for elsewhere.
  if (!isSyncValue(reading)) progress.call = { ...arrived, key };
  return chainMaybePromise(reading, (bucket) => {
    if (!bucket.allowed) {
      progress.call = { ...arrived, key, bucket, rateLimitAt: bucketAt };
      throw overLimit(bucket.limit, computeRetryAfterSeconds(bucket));
    }
    const callId = newResourceId("call", bucketAt);
    const admitted = { ...arrived, key, callId, controls, bucket, rateLimitAt: bucketAt };
    progress.call = admitted;
    return admitted;
  });
}

/** All that is asked before the bucket; a call that may not come in takes no place. */
function checkHeaders(
  admission: AdmissionDependencies,
  arrived: ReceivedModelCall,
  progress: CallProgress,
  key: CallerKey,
): CallControlHeaders {
  try {
    if (!key.principal.scopes.has("gateway:invoke")) throw missingScope();
    const controls = readCallControlHeaders(arrived.headers);
    enterInFlight(admission, progress, key);
    return controls;
  } catch (error) {
    setRateLimitState(admission, arrived, progress, key);
    throw error;
  }
}

/** The call gives the place back when it ends, however it does. */
function enterInFlight(
  { inFlight: underWay, concurrentRequests, processRequests }: AdmissionDependencies,
  progress: CallProgress,
  { principal, rateLimit }: CallerKey,
): void {
  const calls = underWay.of(principal);
  const most = rateLimit?.concurrentRequests ?? concurrentRequests;
  if (calls.key.count >= most) throw tooManyConcurrent("key", most);
  const share = Math.ceil(processRequests / accountShares);
  if (calls.account.count >= share) throw tooManyConcurrent("account", share);
  if (calls.all.count >= processRequests) throw processIsFull();
  progress.markInFlight(calls);
}

function missingScope(): ApiError {
  return new ApiError("insufficient_scope", "The key lacks the scope `gateway:invoke`.");
}

/** When one of them ends is not known; a second is the least that can be said. */
function tooManyConcurrent(owner: "key" | "account", most: number): ApiError {
  const calls = most === 1 ? "one model call" : `${most} model calls`;
  return new ApiError(
    "rate_limited",
    `This ${owner} may have ${calls} under way at once; wait until one has ended.`,
    { retryAfterSeconds: 1 },
  );
}

function processIsFull(): ApiError {
  return new ApiError(
    "unavailable",
    "The server has as many model calls under way as it takes; wait and send the call again.",
    { retryAfterSeconds: 1 },
  );
}

function overLimit({ requestsPerMinute, burst }: RequestRateLimit, seconds: number): ApiError {
  return new ApiError(
    "rate_limited",
    `This key may make ${requestsPerMinute} requests a minute in bursts of ${burst}; wait ${seconds} s.`,
    { retryAfterSeconds: seconds },
  );
}
