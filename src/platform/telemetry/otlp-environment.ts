/** The standard variables of OpenTelemetry that decide what is sent to a collector at all. */
export type OtlpEnvironment = Readonly<Partial<Record<OtlpVariable, string>>>;

type OtlpVariable =
  | "OTEL_SDK_DISABLED"
  | "OTEL_EXPORTER_OTLP_ENDPOINT"
  | `OTEL_EXPORTER_OTLP_${Signal}_ENDPOINT`
  | `OTEL_${Signal}_EXPORTER`
  | "OTEL_METRIC_EXPORT_INTERVAL"
  | "OTEL_METRIC_EXPORT_TIMEOUT";

type Signal = "TRACES" | "METRICS";

/** Whether a collector is named for a signal, and nothing turns it off. */
export function isOtlpExportEnabled(environment: OtlpEnvironment, signal: Signal): boolean {
  const endpoint =
    environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || endpoint === "") return false;
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === "true" ||
    environment[`OTEL_${signal}_EXPORTER`] === "none";
  return !isOff;
}
