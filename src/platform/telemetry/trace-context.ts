import { TraceFlags, type SpanContext } from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";

/**
 * Reads a `traceparent` header (W3C Trace Context, section 3.2). Undefined for
 * none and for one that is malformed: the request then begins a trace of its own.
 */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const context = header === undefined ? null : parseTraceParent(header);
  if (context === null) return undefined;
  // Flags that later versions may define are not ours to pass on.
  return { ...context, traceFlags: context.traceFlags & TraceFlags.SAMPLED, isRemote: true };
}
