import { isOtlpExportEnabled, type OtlpEnvironment } from "./otlp-environment.ts";
import { noTracer, type Tracer } from "./tracer.ts";

/**
 * Traces over OTLP/HTTP when a collector is configured by the standard variables
 * of OpenTelemetry; its other variables (headers, sampler, batch sizes, service
 * name) are read by the SDK. Without a collector none of its code is loaded.
 */
export async function createTracer(environment: OtlpEnvironment): Promise<Tracer> {
  if (!isOtlpExportEnabled(environment, "TRACES")) return noTracer;
  const { createOtlpTracer } = await import("./otlp-tracer.ts");
  return createOtlpTracer();
}
