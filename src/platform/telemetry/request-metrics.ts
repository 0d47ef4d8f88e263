import { Counter, type Registry } from "prom-client";
import { TallyHistogram } from "../speed/tally-histogram.ts";

/** Which requests one recorder counts. All three come from the code, never from a caller. */
export interface RequestRouteLabels {
  /** `gateway` or `tools`. */
  readonly service: string;
  readonly method: string;
  /** The route's pattern, `/v1/teams/:team_id`; `unmatched` where none fits. */
  readonly route: string;
}

/** Counts the requests of one route. */
export interface RequestMetricsRecorder {
  /** A request has ended: its HTTP status (499: the caller hung up) and its time in milliseconds. */
  ended(status: number, milliseconds: number): void;
}

export interface RequestMetrics {
  /** Binds a route's series; call it at start. */
  recorder(series: RequestRouteLabels): RequestMetricsRecorder;
}

const labelNames = ["service", "method", "route"];
const buckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

/** Requests by route, method and class of status, and how long they took. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const series: CountedSeries[] = [];
  void new Counter({
    name: "causeway_http_requests_total",
    help: "Requests that have ended, by class of status; 4xx includes callers that hung up.",
    labelNames: [...labelNames, "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, counts } of series) {
        for (const [status, count] of counts) this.inc({ ...labels, status }, count);
      }
    },
  });
  const duration = new TallyHistogram(registry, {
    name: "causeway_http_request_duration_seconds",
    help: "From the headers of a request to the end of its answer, streams included.",
    labelNames,
    buckets,
  });
  return {
    recorder(of) {
      const labels = { ...of };
      const counts: StatusCounts = new Map();
      series.push({ labels, counts });
      return recorder(counts, duration.tally(labels));
    },
  };
}

/** Requests by class of status, `2xx` for instance. */
type StatusCounts = Map<string, number>;

interface CountedSeries {
  readonly labels: Record<string, string>;
  readonly counts: StatusCounts;
}

const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"];

function recorder(
  counts: StatusCounts,
  duration: { observe(seconds: number): void },
): RequestMetricsRecorder {
  return {
    ended(status, milliseconds) {
      const statusClass = statusClasses[Math.floor(status / 100) - 1];
      if (statusClass !== undefined) counts.set(statusClass, (counts.get(statusClass) ?? 0) + 1);
      duration.observe(milliseconds / 1000);
    },
  };
}
