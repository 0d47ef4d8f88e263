import type { DialFailure } from "../../platform/dial/dial-failure.ts";

/** Milliseconds before the second and the third dial; there is no fourth. */
const retryDelays = [0, 100];

const transient: ReadonlySet<DialFailure | undefined> = new Set(["connect", "dns", "tls", "reset"]);

/** Milliseconds until a call may be dialled again after so many attempts; undefined: it may not. */
export function getRetryDelayMs(attempts: number): number | undefined {
  return retryDelays[attempts - 1];
}

/** Whether the same dial may succeed after such a failure. */
export function isTransientDialFailure(kind: DialFailure | undefined): boolean {
  return transient.has(kind);
}

/** Whether another upstream may answer with another status. */
export function isFailoverStatus(status: number): boolean {
  return status === 429 || status >= 500;
}
