import type { ServerSpan } from "./tracer.ts";

const spans = new WeakMap<object, ServerSpan>();

/** Remembers the span of a request under its raw `IncomingMessage`. */
export function attachServerSpanToRequest(rawRequest: object, span: ServerSpan): void {
  spans.set(rawRequest, span);
}

/** The span of a request, as parent of the upstream calls made for it; undefined when nothing is traced. */
export function getServerSpan(rawRequest: object): ServerSpan | undefined {
  return spans.get(rawRequest);
}
