import { type HrTime, ValueType } from "@opentelemetry/api";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricsRegistrySnapshot, MetricSnapshot, MetricSample } from "./metrics-snapshot.ts";
import { genAiAttributeByLabel, genAiMetricByName } from "./gen-ai-conventions.ts";

/** When values were counted: from the start of the process until now. */
type Span = Pick<DataPoint<number>, "startTime" | "endTime">;

/**
 * What was counted for Prometheus, in the form that OTLP sends: the same numbers, read
 * when they are sent. The metrics of the GenAI conventions get the names that they have
 * there, all others keep theirs. Sums go on from the start of the process (cumulative).
 */
export class PrometheusToOtlpMetricProducer implements MetricProducer {
  readonly #read: () => Promise<MetricsRegistrySnapshot>;
  readonly #startTime = timeNow();

  constructor(read: () => Promise<MetricsRegistrySnapshot>) {
    this.#read = read;
  }

  async collect(): Promise<CollectionResult> {
    const counted = await this.#read();
    const span = { startTime: this.#startTime, endTime: timeNow() };
    const metrics = counted.flatMap((metric) => metricData(metric, span) ?? []);
    const scopeMetrics = [{ scope: { name: "causeway" }, metrics }];
    // The reader puts the resource of its provider in the place of this one.
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }
}

function timeNow(): HrTime {
  const milliseconds = Date.now();
  return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1_000_000];
}

/** Undefined for a summary, which OTLP takes from nobody new; there is none of ours. */
function metricData(metric: MetricSnapshot, span: Span): MetricData | undefined {
  const { type, values } = metric;
  const shared = {
    descriptor: describe(metric),
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = (): DataPoint<number>[] => values.map((value) => numberPoint(value, span));
  switch (type) {
    case "counter":
      return {
        ...shared,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: points(),
      };
    case "gauge":
      return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case "histogram":
      return {
        ...shared,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramPoints(metric, span),
      };
    case "summary":
      return undefined;
  }
}

function describe({ name, help }: MetricSnapshot): MetricData["descriptor"] {
  const { name: conventional = name, unit = "" } = genAiMetricByName.get(name) ?? {};
  return { name: conventional, description: help, unit, valueType: ValueType.DOUBLE };
}

function numberPoint({ labels, value }: MetricSample, span: Span): DataPoint<number> {
  return { ...span, attributes: attributesOf(labels), value };
}

/** The values of a series stand together: its buckets, cumulated and ascending, its sum, its count. */
function histogramPoints({ name, values }: MetricSnapshot, span: Span): DataPoint<Histogram>[] {
  const points = new Map<string, DataPoint<Histogram>>();
  for (const { metricName, labels, value } of values) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const point = points.get(key) ?? { ...span, attributes: attributesOf(own), value: noValues() };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.value.sum = value;
    else if (metricName === `${name}_count`) point.value.count = value;
    else addBucket(point.value.buckets, le, value);
  }
  return [...points.values()];
}

function noValues(): Histogram {
  return { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 };
}

function addBucket(
  { boundaries, counts }: Histogram["buckets"],
  le: string | number | undefined,
  cumulated: number,
): void {
  const below = counts.reduce((sum, count) => sum + count, 0);
  counts.push(cumulated - below);
  if (le !== "+Inf") boundaries.push(Number(le));
}

function attributesOf(labels: MetricSample["labels"]): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(labels).map(([label, value]) => [
      genAiAttributeByLabel.get(label) ?? label,
      value,
    ]),
  );
}
