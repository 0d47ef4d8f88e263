/** One value of a metric, in the form that prom-client prints from. */
export interface MetricSample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Where it is not that of the metric: a histogram's buckets, sum and count. */
  readonly metricName?: string;
}

/** One metric of a process; plain JSON. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  /** How values of several processes become one: `sum`, `max`, `average`, … */
  readonly aggregator: string;
  readonly values: readonly MetricSample[];
}

/** What one process has counted. */
export type MetricsRegistrySnapshot = readonly MetricSnapshot[];

/**
 * What two processes have counted together, for those that have ended: gauges
 * speak of what is now, and go. Without the rest the sums of those that live on
 * would fall, and a falling counter reads as a restart of everything.
 */
export function mergeCumulativeMetrics(
  left: MetricsRegistrySnapshot,
  right: MetricsRegistrySnapshot,
): MetricsRegistrySnapshot {
  const sums = new Map<string, MetricSnapshot>();
  for (const metric of [...left, ...right]) {
    if (metric.type !== "counter" && metric.type !== "histogram") continue;
    const known = sums.get(metric.name)?.values ?? [];
    sums.set(metric.name, { ...metric, values: addValues([...known, ...metric.values]) });
  }
  return [...sums.values()];
}

function addValues(values: readonly MetricSample[]): MetricSample[] {
  const sums = new Map<string, MetricSample>();
  for (const value of values) {
    const series = `${value.metricName ?? ""} ${JSON.stringify(value.labels)}`;
    sums.set(series, { ...value, value: value.value + (sums.get(series)?.value ?? 0) });
  }
  return [...sums.values()];
}
