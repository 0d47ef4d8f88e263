const maxPauseMs = 60 * 60_000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * How long an answer asks to be left alone: `Retry-After` in seconds or as a
 * date, or the end of a used-up quota. Undefined: it does not say. At most an hour.
 */
export function readRetryDelayMs(headers: Headers, now: number): number | undefined {
  const until = retryAfter(headers["retry-after"], now) ?? quotaEnd(headers);
  return until === undefined ? undefined : Math.min(Math.max(until - now, 0), maxPauseMs);
}

/** Some say it in words: "Try again in 25 seconds". */
export function parseRetryDelayFromMessage(text: string): number | undefined {
  const seconds = /\b(\d{1,5})\s*seconds?\b/i.exec(text)?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, maxPauseMs);
}

function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header.trim())) return now + Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date;
}

/** Seconds since the epoch at which a quota of which nothing is left is given anew. */
function quotaEnd(headers: Headers): number | undefined {
  if (headers["x-ratelimit-remaining"] !== "0") return undefined;
  const reset = headers["x-ratelimit-reset"];
  return typeof reset === "string" && /^\d{9,11}$/.test(reset) ? Number(reset) * 1000 : undefined;
}
