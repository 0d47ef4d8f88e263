import { Gauge, type Registry } from "prom-client";
import { TallyHistogram } from "../speed/tally-histogram.ts";

/** Which model calls one recorder counts. Both come from the code, never from a caller. */
export interface ModelCallMetricLabels {
  /** Operation id, `createChatCompletion` for instance. */
  readonly operation: string;
  /** How it was answered: `pass_through`, `transcode` or `agent`. */
  readonly lane: string;
}

/** Times of one model call in milliseconds. */
export interface ModelCallDurations {
  /** From the headers of the request to the end of the answer. */
  readonly total: number;
  /** From the dial to the upstream's last byte, waiting for retries included. */
  readonly upstream: number;
  /** From the dial to the first byte of the upstream's answer; undefined when none came. */
  readonly firstByte: number | undefined;
}

/** Counts the model calls of one operation and lane. */
export interface ModelCallMetricsRecorder {
  ended(times: ModelCallDurations): void;
}

export interface ModelCallMetrics {
  /** Binds an operation's series; call it at start. */
  recorder(series: ModelCallMetricLabels): ModelCallMetricsRecorder;
  /** Raise it when a streamed answer begins, lower it when it ends. */
  readonly streamsInFlight: { value: number };
}

const labelNames = ["operation", "lane"];
const callBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const overheadBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1,
];

/**
 * Times of model calls. Overhead is the time of the request less that of the
 * upstream, as its own histogram, because the difference of two histograms says
 * nothing.
 */
export function createModelCallMetrics(registry: Registry): ModelCallMetrics {
  const histogram = (name: string, help: string, buckets: readonly number[]): TallyHistogram =>
    new TallyHistogram(registry, { name: `causeway_${name}_seconds`, help, labelNames, buckets });
  const total = histogram(
    "model_call_duration",
    "Model calls, from headers to the end of the answer.",
    callBuckets,
  );
  const upstream = histogram(
    "upstream_duration",
    "Upstream calls, from the dial to the last byte.",
    callBuckets,
  );
  const firstByte = histogram(
    "upstream_first_byte",
    "Upstream calls, from the dial to the first byte.",
    callBuckets,
  );
  const overhead = histogram(
    "gateway_overhead",
    "Model calls less the time of the upstream.",
    overheadBuckets,
  );
  return {
    streamsInFlight: streamGauge(registry),
    recorder(series) {
      const labels = { ...series };
      const tallies = {
        total: total.tally(labels),
        upstream: upstream.tally(labels),
        firstByte: firstByte.tally(labels),
        overhead: overhead.tally(labels),
      };
      return { ended: (times) => record(tallies, times) };
    },
  };
}

interface Observer {
  observe(seconds: number): void;
}

function record(
  tallies: Readonly<Record<keyof ModelCallDurations | "overhead", Observer>>,
  { total, upstream, firstByte }: ModelCallDurations,
): void {
  tallies.total.observe(total / 1000);
  tallies.upstream.observe(upstream / 1000);
  // Two clocks read apart can make the difference negative by microseconds.
  tallies.overhead.observe(Math.max(0, total - upstream) / 1000);
  if (firstByte !== undefined) tallies.firstByte.observe(firstByte / 1000);
}

function streamGauge(registry: Registry): { value: number } {
  const streams = { value: 0 };
  void new Gauge({
    name: "causeway_streams_in_flight",
    help: "Streamed answers that have begun and not ended.",
    registers: [registry],
    collect() {
      this.set(streams.value);
    },
  });
  return streams;
}
