import { describe, expect, it } from "vitest";
import {
  mergeCumulativeMetrics,
  type MetricSnapshot,
} from "../../../src/platform/telemetry/metrics-snapshot.ts";
import { createMetrics } from "../../../src/platform/telemetry/metrics.ts";

function metric(type: MetricSnapshot["type"], values: MetricSnapshot["values"]): MetricSnapshot {
  return { name: `a_${type}`, help: "A.", type, aggregator: "sum", values };
}

describe("mergeSnapshots()", () => {
  it("adds counters series by series, and keeps what only one has", () => {
    const get = (value: number) => ({ value, labels: { method: "GET" } });
    const post = { value: 5, labels: { method: "POST" } };
    const sum = mergeCumulativeMetrics(
      [metric("counter", [get(2)])],
      [metric("counter", [get(3), post])],
    );
    expect(sum).toEqual([metric("counter", [get(5), post])]);
  });

  it("adds the buckets of histograms, their sum and their count each for itself", () => {
    const values = [
      { value: 1, labels: { le: 1 }, metricName: "a_histogram_bucket" },
      { value: 2, labels: {}, metricName: "a_histogram_sum" },
      { value: 3, labels: {}, metricName: "a_histogram_count" },
    ];
    const [sum] = mergeCumulativeMetrics(
      [metric("histogram", values)],
      [metric("histogram", values)],
    );
    expect(sum?.values.map(({ value }) => value)).toEqual([2, 4, 6]);
  });

  it("lets gauges go: they speak of what is now", () => {
    expect(mergeCumulativeMetrics([metric("gauge", [{ value: 1, labels: {} }])], [])).toEqual([]);
  });
});

describe("createMetrics() of one of several processes", () => {
  it("prints what all have counted, in the form of one", async () => {
    const series = { service: "gateway", method: "GET", route: "/healthz" };
    const other = createMetrics();
    other.requests.recorder(series).ended(200, 3);
    other.modelCalls.streamsInFlight.value = 2;
    // As it comes over the channel.
    const heard = JSON.parse(JSON.stringify(await other.snapshot()));
    const own = createMetrics(async () => [await own.snapshot(), heard]);
    own.requests.recorder(series).ended(200, 3);
    own.modelCalls.streamsInFlight.value = 1;
    const text = await own.render();
    const labels = 'service="gateway",method="GET",route="/healthz"';
    expect(text).toContain(`causeway_http_requests_total{${labels},status="2xx"} 2\n`);
    expect(text).toContain(
      `causeway_http_request_duration_seconds_bucket{${labels},le="0.005"} 2\n`,
    );
    expect(text).toContain(`causeway_http_request_duration_seconds_count{${labels}} 2\n`);
    expect(text).toContain("causeway_streams_in_flight 3\n");
    expect(linesOf(text)).toEqual(linesOf(await own.render()));
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

function linesOf(text: string): number {
  return text.split("\n").length;
}
