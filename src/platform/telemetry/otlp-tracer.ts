import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { parseTraceparent } from "./trace-context.ts";
import type {
  ServerCall,
  ServerOutcome,
  ServerSpan,
  Span,
  Tracer,
  UpstreamCall,
  UpstreamOutcome,
} from "./tracer.ts";

/** How long the last spans may take on their way out. */
const closeMs = 5000;

/**
 * Sends spans in batches to the collector that the environment names. Nothing is
 * registered globally: parents are handed over by hand, so no context has to be
 * kept across asynchronous calls.
 */
export function createOtlpTracer(): Tracer {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "causeway" }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("causeway");
  return {
    enabled: true,
    startServerSpan: (call) => startServerSpan(tracer, call),
    startUpstreamSpan: (parent, call) => startUpstreamSpan(tracer, parent, call),
    close: () => shutDown(provider),
  };
}

class TracedRequest implements ServerSpan {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  end({ status, errorCode }: ServerOutcome): void {
    this.otel.setAttribute("http.response.status_code", status);
    if (errorCode !== undefined) this.otel.setAttribute("error.type", errorCode);
    // A refusal is the caller's mistake, not an error of the server (HTTP semantic conventions).
    if (status >= 500) this.otel.setStatus({ code: SpanStatusCode.ERROR });
    this.otel.end();
  }
}

function startServerSpan(tracer: OtelTracer, call: ServerCall): TracedRequest {
  const attributes: Attributes = {
    "http.request.method": call.method,
    "http.route": call.route,
    "causeway.service": call.service,
    "causeway.request_id": call.requestId,
  };
  const remote = parseTraceparent(call.traceparent);
  const parent = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
  const options = { kind: SpanKind.SERVER, attributes };
  return new TracedRequest(tracer.startSpan(`${call.method} ${call.route}`, options, parent));
}

function startUpstreamSpan(
  tracer: OtelTracer,
  parent: ServerSpan | undefined,
  call: UpstreamCall,
): Span<UpstreamOutcome> {
  const attributes: Attributes = {
    "http.request.method": call.method,
    "server.address": call.host,
    "server.port": call.port,
    "causeway.dialect": call.dialect,
  };
  const options = { kind: SpanKind.CLIENT, attributes };
  const span = tracer.startSpan(call.method, options, contextOf(parent));
  return { end: (outcome) => endUpstreamSpan(span, outcome) };
}

function contextOf(parent: ServerSpan | undefined): Context {
  return parent instanceof TracedRequest ? trace.setSpan(ROOT_CONTEXT, parent.otel) : ROOT_CONTEXT;
}

function endUpstreamSpan(span: OtelSpan, { status, failure }: UpstreamOutcome): void {
  if (status !== undefined) span.setAttribute("http.response.status_code", status);
  const error = failure ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  if (error !== undefined) {
    span.setAttribute("error.type", error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** A collector that is away must not keep the process from ending. */
async function shutDown(provider: NodeTracerProvider): Promise<void> {
  const timeUp = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref());
  await Promise.race([provider.shutdown().catch(() => undefined), timeUp]);
}
