import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import type { MetricsRegistrySnapshot } from "./metrics-snapshot.ts";
import { PrometheusToOtlpMetricProducer } from "./prometheus-metric-producer.ts";
import type { OtlpEnvironment } from "./otlp-environment.ts";
import { createOtlpResource } from "./otlp-resource.ts";
import type { MetricsExporter } from "./metrics-export.ts";
import { shutDownTelemetryProvider } from "./shut-down.ts";

/** Milliseconds between two sendings, where the environment does not say (OpenTelemetry's own default). */
const defaultIntervalMs = 60_000;
const defaultTimeoutMs = 30_000;

/** Sends what was counted to the collector that the environment names, until it is closed. */
export function startOtlpMetricsExport(
  environment: OtlpEnvironment,
  read: () => Promise<MetricsRegistrySnapshot>,
): MetricsExporter {
  const exportIntervalMillis =
    millisecondsOf(environment.OTEL_METRIC_EXPORT_INTERVAL) ?? defaultIntervalMs;
  const timeoutMs = millisecondsOf(environment.OTEL_METRIC_EXPORT_TIMEOUT) ?? defaultTimeoutMs;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
    metricProducers: [new PrometheusToOtlpMetricProducer(read)],
  });
  const provider = new MeterProvider({ resource: createOtlpResource(), readers: [reader] });
  return { close: () => shutDownTelemetryProvider(provider) };
}

/** Undefined for what is no number above 0, as the SDK of other languages has it. */
function millisecondsOf(text: string | undefined): number | undefined {
  const milliseconds = Number(text ?? "");
  return Number.isFinite(milliseconds) && milliseconds > 0 ? milliseconds : undefined;
}
