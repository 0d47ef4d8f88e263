import type { SpanContext } from "@opentelemetry/api";

const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads a `traceparent` header (W3C Trace Context, section 3.2). Undefined for
 * none and for one that is malformed: the request then begins a trace of its own.
 */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, rest] = traceparentForm.exec(header ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const isUnknownForm = version === "ff" || (version === "00" && rest !== undefined);
  if (isUnknownForm || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
