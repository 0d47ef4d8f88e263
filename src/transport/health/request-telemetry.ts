import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { RequestMetricsRecorder } from "../../platform/telemetry/request-metrics.ts";
import { attachServerSpanToRequest } from "../../platform/telemetry/server-spans.ts";
import type { ServerSpan, Tracer } from "../../platform/telemetry/tracer.ts";

export interface RequestTelemetryDependencies {
  /** `gateway` or `tools`. */
  readonly service: string;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/**
 * Counts and times every request and, where traces are collected, gives it a
 * span. Register it on the root instance right after the request scope. A
 * request counts when its connection is done with it, so that hijacked streams
 * and callers that hang up are in.
 */
export function registerRequestTelemetry(
  app: FastifyInstance,
  { service, metrics, tracer }: RequestTelemetryDependencies,
): void {
  const recorderOf = recorders(service, metrics);
  app.addHook("onRequest", (request, _reply, done) => {
    const { scope } = request;
    const route = scope.route ?? unmatched;
    const recorder = recorderOf(methodOf(request, route), route);
    const span = tracer.enabled ? startSpan(tracer, service, request, route) : undefined;
    scope.ended = ({ status, durationMs }) => {
      const { errorCode } = scope;
      recorder.ended(status, durationMs);
      if (errorCode !== undefined) metrics.errors.rejected(service, errorCode);
      span?.end({ status, errorCode });
    };
    done();
  });
}

const unmatched = "unmatched";

/** A method of no route may be anything that a caller thinks of. */
function methodOf(request: FastifyRequest, route: string): string {
  return route === unmatched ? "any" : request.method;
}

/** Recorders are made when a route is first called; there are no more of them than routes. */
function recorders(
  service: string,
  metrics: Metrics,
): (method: string, route: string) => RequestMetricsRecorder {
  const byMethod = new Map<string, Map<string, RequestMetricsRecorder>>();
  return (method, route) => {
    const byRoute = byMethod.get(method) ?? new Map<string, RequestMetricsRecorder>();
    byMethod.set(method, byRoute);
    const known = byRoute.get(route);
    if (known !== undefined) return known;
    const recorder = metrics.requests.recorder({ service, method, route });
    byRoute.set(route, recorder);
    return recorder;
  };
}

function startSpan(
  tracer: Tracer,
  service: string,
  request: FastifyRequest,
  route: string,
): ServerSpan | undefined {
  const { traceparent } = request.headers;
  const span = tracer.startServerSpan({
    service,
    method: methodOf(request, route),
    route,
    requestId: request.scope.requestId,
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
  });
  if (span !== undefined) attachServerSpanToRequest(request.raw, span);
  return span;
}
