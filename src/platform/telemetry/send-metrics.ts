import type { Counted } from "./counted.ts";
import { isSent, type OtlpEnvironment } from "./otlp-environment.ts";

/** Metrics that are sent to a collector now and then. */
export interface SentMetrics {
  /** Sends what was counted last, five seconds at most; never rejects. */
  close(): Promise<void>;
}

const nothingSent: SentMetrics = { close: async () => {} };

/**
 * Sends what a process has counted over OTLP/HTTP, every `OTEL_METRIC_EXPORT_INTERVAL`
 * milliseconds, when a collector is configured by the standard variables of
 * OpenTelemetry. Without one none of its code is loaded.
 *
 * @param read - what was counted; asked at each sending, so that nothing is counted twice
 */
export async function sendMetrics(
  environment: OtlpEnvironment,
  read: () => Promise<Counted>,
): Promise<SentMetrics> {
  if (!isSent(environment, "METRICS")) return nothingSent;
  const { sendOtlpMetrics } = await import("./otlp-metrics.ts");
  return sendOtlpMetrics(environment, read);
}
