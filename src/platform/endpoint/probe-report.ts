import type { ProbeResult } from "./probe-endpoint.ts";
import type { ProbeFailure } from "./probe-request.ts";

/** The last probe of an endpoint or credential, as it is stored. */
export interface ProbeReport {
  readonly ok: boolean;
  /** Models that were listed; undefined on a failure. */
  readonly modelsFound: number | undefined;
  /** Undefined on success. */
  readonly error: ProbeFailure | undefined;
  /** When the probe ended: RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** The report of a probe that ended now. */
export function createProbeReport({ error: fault, models }: ProbeResult, now: number): ProbeReport {
  const at = new Date(now).toISOString();
  if (fault !== undefined) return { ok: false, modelsFound: undefined, error: fault, at };
  return { ok: true, modelsFound: models.length, error: undefined, at };
}
