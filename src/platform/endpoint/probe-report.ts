import type { EndpointProbeResult } from "./probe-endpoint.ts";
import type { EndpointProbeFailure } from "./probe-request.ts";

/** The last probe of an endpoint or credential, as it is stored. */
export interface EndpointProbeReport {
  readonly ok: boolean;
  /** Models that were listed; undefined on a failure. */
  readonly modelsFound: number | undefined;
  /** Undefined on success. */
  readonly error: EndpointProbeFailure | undefined;
  /** When the probe ended: RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** The report of a probe that ended now. */
export function createEndpointProbeReport(
  { error: fault, models }: EndpointProbeResult,
  now: number,
): EndpointProbeReport {
  const at = new Date(now).toISOString();
  if (fault !== undefined) return { ok: false, modelsFound: undefined, error: fault, at };
  return { ok: true, modelsFound: models.length, error: undefined, at };
}
