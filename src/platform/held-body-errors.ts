import { ApiError } from "./errors.ts";

const bytesPerMib = 1024 * 1024;

/** When another body ends is not known; a second is the least that can be said. */
const retryAfterSeconds = 1;

/** A 413: the body is larger than the share of one holder. */
export function bodyLargerThanShareError(shareBytes: number): ApiError {
  return new ApiError(
    "request_too_large",
    `The body is larger than ${shareBytes / bytesPerMib} MiB, which all bodies of one caller may have together; send a smaller one.`,
  );
}

/** A 429: the holder has too much by itself. */
export function bodyShareUsedUpError(shareBytes: number): ApiError {
  return new ApiError(
    "rate_limited",
    `The request bodies of one caller may have ${shareBytes / bytesPerMib} MiB together; send smaller ones, or wait until one has ended.`,
    { retryAfterSeconds },
  );
}

/** A 429: callers without a credential have too much together. */
export function anonymousBodyMemoryExhaustedError(): ApiError {
  return new ApiError(
    "rate_limited",
    "The server holds as many request bodies of callers without a credential as it may; wait and send the request again.",
    { retryAfterSeconds },
  );
}

/** A 503: no holder has to give way. */
export function bodyMemoryExhaustedError(): ApiError {
  return new ApiError(
    "unavailable",
    "The server holds as many request bodies as it may; wait and send the request again.",
    { retryAfterSeconds },
  );
}

/** A 429: the body was ended to make room. */
export function requestBodyDroppedForMemoryError(): ApiError {
  return new ApiError(
    "rate_limited",
    "The server needed the memory of this body for callers that hold less; send fewer bodies at once, or send them faster.",
    { retryAfterSeconds },
  );
}

/** A 408: the body arrived too slowly. */
export function bodyTooSlowError(bytesPerSecond: number, overMs: number): ApiError {
  return new ApiError(
    "invalid_request",
    `The body arrived slower than ${bytesPerSecond / 1024} KiB/s over ${overMs / 1000} s; send it faster.`,
    { status: 408 },
  );
}
