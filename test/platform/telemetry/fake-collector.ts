import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** OTLP numbers: 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Attributes;
  /** OTLP numbers: 2 is an error. */
  readonly status: number;
  /** How long it took. */
  readonly milliseconds: number;
  readonly resource: Attributes;
}

/** One series of a metric, as it was sent last. */
export interface CollectedPoint {
  readonly name: string;
  readonly unit: string;
  /** In which member it came. */
  readonly form: "sum" | "gauge" | "histogram";
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** Of a sum or a gauge. */
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly explicitBounds?: readonly number[];
  readonly bucketCounts?: readonly number[];
  /** OTLP number of the temporality: 2 is cumulative. */
  readonly temporality?: number;
}

/** An OTLP/HTTP collector on a free port that keeps what it gets. */
export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly points: CollectedPoint[];
  /** Bodies of all requests. */
  readonly bodies: string[];
  /** Resolves when metrics have come once more. */
  nextMetrics(): Promise<unknown>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
  };
}

interface OtlpSpan extends Omit<CollectedSpan, "attributes" | "status"> {
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface OtlpPoint extends Omit<CollectedPoint, "attributes" | "value"> {
  readonly attributes: readonly OtlpAttribute[];
  readonly asDouble?: number;
  readonly asInt?: number;
}

interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: OtlpPoints;
  readonly gauge?: OtlpPoints;
  readonly histogram?: OtlpPoints;
}

interface OtlpPoints {
  readonly dataPoints: readonly OtlpPoint[];
  readonly aggregationTemporality?: number;
}

interface OtlpResource {
  readonly resource: { readonly attributes: readonly OtlpAttribute[] };
}

interface OtlpExport {
  readonly resourceSpans?: readonly (OtlpResource & {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  })[];
  readonly resourceMetrics?: readonly (OtlpResource & {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  })[];
}

/** Starts it; it ends with the test. */
export async function startCollector(): Promise<Collector> {
  const [spans, points, bodies]: [CollectedSpan[], CollectedPoint[], string[]] = [[], [], []];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      bodies.push(body);
      const sent = JSON.parse(body) as OtlpExport;
      spans.push(...readSpans(sent));
      points.push(...readPoints(sent));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
      if (sent.resourceMetrics !== undefined) server.emit("metrics");
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, points, bodies, nextMetrics: () => once(server, "metrics") };
}

function readSpans({ resourceSpans = [] }: OtlpExport): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: readAttributes(span.attributes),
        status: span.status.code ?? 0,
        milliseconds: millisecondsOf(span),
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function millisecondsOf({ startTimeUnixNano, endTimeUnixNano }: OtlpSpan): number {
  return Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;
}

function readPoints({ resourceMetrics = [] }: OtlpExport): CollectedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) => {
    const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.flatMap((metric) => pointsOf(metric, readAttributes(resource.attributes)));
  });
}

function pointsOf(metric: OtlpMetric, resource: Attributes): CollectedPoint[] {
  const { name, unit } = metric;
  return (["sum", "gauge", "histogram"] as const).flatMap((form) => {
    const { dataPoints = [], aggregationTemporality: temporality } = metric[form] ?? {};
    return dataPoints.map((point) => {
      const value = point.asDouble ?? point.asInt;
      const attributes = readAttributes(point.attributes);
      const told = { name, unit, form, attributes, resource };
      return {
        ...point,
        ...told,
        ...(value !== undefined && { value }),
        ...(temporality !== undefined && { temporality }),
      };
    });
  });
}

function readAttributes(list: readonly OtlpAttribute[]): Attributes {
  return Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? intValue ?? doubleValue ?? boolValue ?? "",
    ]),
  );
}
