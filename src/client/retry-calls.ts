import { Code, ConnectError, type Interceptor, type UnaryRequest } from "@connectrpc/connect";
import { isUnreachable, findConnectErrorInfo } from "./causeway-error.ts";
import { readRetrySafety } from "./retry-safety.ts";

/** The longest wait before a call is made again, in milliseconds; what asks for more is not repeated. */
const maxDelayMs = 10_000;

const initialDelayMs = 100;

/**
 * Makes calls that failed for the moment again, at most `retries` times:
 * - those that the server refused before it did anything (`rate_limited`), whatever they
 *   are;
 * - those that failed on the way or while the server could not serve (`unavailable`, 502,
 *   503), if they may be made again; an `Idempotency-Key` is sent with those that take one.
 *
 * Waits as long as the server says, else 100 ms and twice as long each time, half of it
 * by chance, so that callers who failed together do not come back together. The deadline
 * holds for all attempts together. Streams are never repeated.
 */
export function createRetryInterceptor(retries: number): Interceptor {
  return (next) => async (request) => {
    if (request.stream) return next(request);
    addIdempotencyKey(request);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await next(request);
      } catch (error) {
        const wait = waitAfter(ConnectError.from(error), request, attempt);
        if (attempt >= retries || wait === undefined) throw error;
        await pause(wait, request.signal);
      }
    }
  };
}

function addIdempotencyKey({ method, header }: UnaryRequest): void {
  if (readRetrySafety(method) !== "with_key" || header.has("idempotency-key")) return;
  header.set("idempotency-key", randomKey());
}

/** 128 random bits. `randomUUID` is not there on pages that came over plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Milliseconds until the next attempt; undefined: there shall be none. */
function waitAfter(
  failure: ConnectError,
  { method, signal }: UnaryRequest,
  attempt: number,
): number | undefined {
  if (signal.aborted) return undefined;
  const refusal = findConnectErrorInfo(failure);
  const isRefusedAtOnce = refusal?.code === "rate_limited";
  const isPassing = failure.code === Code.Unavailable || isUnreachable(failure);
  const mayRepeat = isRefusedAtOnce || (isPassing && readRetrySafety(method) !== "never");
  if (!mayRepeat) return undefined;
  const asked = (refusal?.retryAfterSeconds ?? 0) * 1000;
  const own = initialDelayMs * 2 ** attempt * (0.5 + Math.random() / 2);
  const wait = asked > 0 ? asked : own;
  return wait > maxDelayMs ? undefined : wait;
}

/** Rejects with the signal's reason as soon as it is aborted. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });
}
