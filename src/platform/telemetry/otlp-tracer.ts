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
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { GenAiOperationRecord } from "./model-operation.ts";
import { createOtlpResource } from "./otlp-resource.ts";
import { shutDownTelemetryProvider } from "./shut-down.ts";
import { parseTraceparent } from "./trace-context.ts";
import type { ServerSpanStart, ServerSpanOutcome, ServerSpan, Tracer } from "./tracer.ts";

/**
 * Sends spans in batches to the collector that the environment names. Nothing is
 * registered globally: parents are handed over by hand, so no context has to be
 * kept across asynchronous calls.
 */
export function createOtlpTracer(): Tracer {
  const provider = new NodeTracerProvider({
    resource: createOtlpResource(),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("causeway");
  return {
    enabled: true,
    startServerSpan: (call) => startServerSpan(tracer, call),
    addOperation: (parent, operation) => addOperation(tracer, parent, operation),
    close: () => shutDownTelemetryProvider(provider),
  };
}

class TracedRequest implements ServerSpan {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  end({ status, errorCode }: ServerSpanOutcome): void {
    this.otel.setAttribute("http.response.status_code", status);
    if (errorCode !== undefined) this.otel.setAttribute("error.type", errorCode);
    // A refusal is the caller's mistake, not an error of the server (HTTP semantic conventions).
    if (status >= 500) this.otel.setStatus({ code: SpanStatusCode.ERROR });
    this.otel.end();
  }
}

function startServerSpan(tracer: OtelTracer, call: ServerSpanStart): TracedRequest {
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

/** It has ended already: what it has used is known at its end only, and nobody has asked for its id before. */
function addOperation(
  tracer: OtelTracer,
  parent: ServerSpan | undefined,
  operation: GenAiOperationRecord,
): void {
  const { name, requestModel, startedAt, endedAt, errorType } = operation;
  const options = { kind: SpanKind.CLIENT, startTime: startedAt, attributes: describe(operation) };
  const span = tracer.startSpan(`${name} ${requestModel}`, options, contextOf(parent));
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endedAt);
}

/** Attributes without a value are left out by the SDK. */
function describe(operation: GenAiOperationRecord): Attributes {
  const { server, tokens, isStream, startedAt, firstChunkAt } = operation;
  const chunkMs = isStream && firstChunkAt !== undefined ? firstChunkAt - startedAt : undefined;
  return {
    "gen_ai.operation.name": operation.name,
    "gen_ai.provider.name": operation.provider,
    "gen_ai.request.model": operation.requestModel,
    "gen_ai.request.stream": isStream || undefined,
    "gen_ai.response.model": operation.responseModel,
    "gen_ai.response.time_to_first_chunk": chunkMs === undefined ? undefined : chunkMs / 1000,
    "gen_ai.usage.input_tokens": tokens?.input,
    "gen_ai.usage.cache_read.input_tokens": tokens?.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": tokens?.cacheWrite,
    "gen_ai.usage.output_tokens": tokens?.output,
    "error.type": operation.errorType,
    "http.request.method": "POST",
    "http.response.status_code": operation.status,
    "server.address": server.hostname,
    "server.port": Number(server.port) || (server.protocol === "https:" ? 443 : 80),
    "causeway.dialect": operation.dialect,
  };
}

function contextOf(parent: ServerSpan | undefined): Context {
  return parent instanceof TracedRequest ? trace.setSpan(ROOT_CONTEXT, parent.otel) : ROOT_CONTEXT;
}
