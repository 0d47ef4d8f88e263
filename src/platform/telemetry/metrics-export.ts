import type { MetricsRegistrySnapshot } from "./metrics-snapshot.ts";
import { isOtlpExportEnabled, type OtlpEnvironment } from "./otlp-environment.ts";

/** Metrics that are sent to a collector now and then. */
export interface MetricsExporter {
  /** Sends what was counted last, five seconds at most; never rejects. */
  close(): Promise<void>;
}

const nothingSent: MetricsExporter = { close: async () => {} };

/**
 * Sends what a process has counted over OTLP/HTTP, every `OTEL_METRIC_EXPORT_INTERVAL`
 * milliseconds, when a collector is configured by the standard variables of
 * OpenTelemetry. Without one none of its code is loaded.
 *
 * @param read - what was counted; asked at each sending, so that nothing is counted twice
 */
export async function startMetricsExport(
  environment: OtlpEnvironment,
  read: () => Promise<MetricsRegistrySnapshot>,
): Promise<MetricsExporter> {
  if (!isOtlpExportEnabled(environment, "METRICS")) return nothingSent;
  const { startOtlpMetricsExport: sendOtlpMetrics } = await import("./otlp-metrics-export.ts");
  return sendOtlpMetrics(environment, read);
}
