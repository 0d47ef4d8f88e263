import { noTracer, type Tracer } from "./tracer.ts";

/** The standard variables of OpenTelemetry that decide whether there is tracing at all. */
export interface TracingEnvironment {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_TRACES_EXPORTER?: string | undefined;
  readonly OTEL_SDK_DISABLED?: string | undefined;
}

/**
 * Traces over OTLP/HTTP when a collector is configured by the standard variables
 * of OpenTelemetry; its other variables (headers, sampler, batch sizes, service
 * name) are read by the SDK. Without a collector none of its code is loaded.
 */
export async function createTracer(environment: TracingEnvironment): Promise<Tracer> {
  if (!isConfigured(environment)) return noTracer;
  const { createOtlpTracer } = await import("./otlp-tracer.ts");
  return createOtlpTracer();
}

function isConfigured(environment: TracingEnvironment): boolean {
  const endpoint =
    environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || endpoint === "") return false;
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === "true" ||
    environment.OTEL_TRACES_EXPORTER === "none";
  return !isOff;
}
