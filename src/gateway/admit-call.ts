import type { Clock } from "../platform/clock.ts";
import { ApiError } from "../platform/errors.ts";
import { retryAfterSeconds } from "../platform/rate-limit/rate-limit-fields.ts";
import type { BucketReading, RequestLimit } from "../platform/rate-limit/request-buckets.ts";
import type { RequestLimiter } from "../platform/rate-limit/request-limiter.ts";
import { readControlHeaders } from "./control-headers.ts";
import type { ModelCall } from "./model-call.ts";
import type { CallerKey, KeyAuthenticator, Warm } from "./ports.ts";
import { whenWarm } from "./warm.ts";

export interface Admission {
  readonly authenticator: KeyAuthenticator;
  readonly buckets: RequestLimiter;
  /** Of keys that have no limit of their own. */
  readonly defaultLimit: RequestLimit;
  readonly clock: Clock;
}

/**
 * Lets a call in by its headers alone, before its body is read: key, scope,
 * `x-svc-*` headers, request bucket, in this order. Synchronous when the key is
 * warm and its bucket in this process. Throws 401, 403, 400, 429 or 503; a refusal of a key that was recognised
 * shows its bucket all the same.
 */
export function admitCall(admission: Admission, call: ModelCall): Warm<void> {
  const { authenticator } = admission;
  const key = authenticator.authenticateModelCall(call.headers, undefined, (refused) =>
    showBucket(admission, call, refused),
  );
  return whenWarm(key, (found) => admitKey(admission, call, found));
}

/** Every answer from now on tells how much the key may still ask for. */
function showBucket(
  { buckets, defaultLimit, clock }: Admission,
  call: ModelCall,
  key: CallerKey,
): void {
  call.key = key;
  call.bucketAt = clock.now();
  call.bucket = buckets.peek(key.principal.keyId, key.rateLimit ?? defaultLimit);
}

function admitKey(admission: Admission, call: ModelCall, key: CallerKey): Warm<void> {
  showBucket(admission, call, key);
  const { buckets, defaultLimit } = admission;
  const limit = key.rateLimit ?? defaultLimit;
  const { keyId, scopes } = key.principal;
  if (!scopes.has("gateway:invoke")) throw missingScope();
  call.controls = readControlHeaders(call.headers);
  const reading = buckets.take(keyId, limit);
  // Not by `whenWarm`, whose function would be made for every warm call.
  if (reading instanceof Promise) return reading.then((found) => countCall(call, found));
  countCall(call, reading);
}

function countCall(call: ModelCall, reading: BucketReading): void {
  call.bucket = reading;
  if (!reading.allowed) throw overLimit(reading.limit, retryAfterSeconds(reading));
}

function missingScope(): ApiError {
  return new ApiError("insufficient_scope", "The key lacks the scope `gateway:invoke`.");
}

function overLimit({ requestsPerMinute, burst }: RequestLimit, seconds: number): ApiError {
  return new ApiError(
    "rate_limited",
    `This key may make ${requestsPerMinute} requests a minute in bursts of ${burst}; wait ${seconds} s.`,
    { retryAfterSeconds: seconds },
  );
}
