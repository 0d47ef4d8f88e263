import { collectDefaultMetrics, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { createMetrics, type Metrics } from "../../../src/platform/telemetry/metrics.ts";

async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  return (await metrics.render()).split("\n").filter((line) => line.startsWith(name));
}

describe("request metrics", () => {
  test("count by route, method and class of status", async () => {
    const metrics = createMetrics();
    const series = { service: "gateway", method: "GET", route: "/v1/teams/:team_id" };
    const recorder = metrics.requests.recorder(series);
    recorder.ended(200, 4);
    recorder.ended(204, 4);
    recorder.ended(499, 4);
    const labels = 'service="gateway",method="GET",route="/v1/teams/:team_id"';
    expect(await linesOf(metrics, "causeway_http_requests_total")).toEqual([
      `causeway_http_requests_total{${labels},status="2xx"} 2`,
      `causeway_http_requests_total{${labels},status="4xx"} 1`,
    ]);
  });

  test("keep the counts over several scrapes", async () => {
    const metrics = createMetrics();
    const series = { service: "tools", method: "POST", route: "/tools/runtime_eol" };
    const recorder = metrics.requests.recorder(series);
    recorder.ended(200, 1);
    await metrics.render();
    recorder.ended(200, 1);
    expect((await linesOf(metrics, "causeway_http_requests_total"))[0]).toMatch(/ 2$/);
  });

  test("a status that is none is timed and not counted", async () => {
    const metrics = createMetrics();
    metrics.requests.recorder({ service: "gateway", method: "GET", route: "/" }).ended(0, 1);
    expect(await linesOf(metrics, "causeway_http_requests_total")).toEqual([]);
    expect(await linesOf(metrics, "causeway_http_request_duration_seconds_count")).toHaveLength(1);
  });

  test("print a cumulative histogram in seconds", async () => {
    const metrics = createMetrics();
    const series = { service: "gateway", method: "GET", route: "/v1/me" };
    const recorder = metrics.requests.recorder(series);
    for (const milliseconds of [1, 3, 3, 200_000]) recorder.ended(200, milliseconds);
    const lines = await linesOf(metrics, "causeway_http_request_duration_seconds");
    const valueAt = (start: string): string | undefined =>
      lines
        .find((line) => line.includes(start))
        ?.split(" ")
        .at(-1);
    expect(valueAt('le="0.001"')).toBe("1");
    expect(valueAt('le="0.0025"')).toBe("1");
    expect(valueAt('le="0.005"')).toBe("3");
    expect(valueAt('le="120"')).toBe("3");
    expect(valueAt('le="+Inf"')).toBe("4");
    expect(valueAt("_count{")).toBe("4");
    expect(Number(valueAt("_sum{"))).toBeCloseTo(200.007, 6);
  });
});

describe("model call metrics", () => {
  test("overhead is the request's time less the upstream's", async () => {
    const metrics = createMetrics();
    const series = { operation: "createMessage", lane: "pass_through" };
    const recorder = metrics.modelCalls.recorder(series);
    recorder.ended({ total: 1000, upstream: 999.5, firstByte: 300 });
    recorder.ended({ total: 5, upstream: 5.01, firstByte: undefined });
    const overhead = await linesOf(metrics, "causeway_gateway_overhead_seconds_sum");
    expect(Number(overhead[0]?.split(" ").at(-1))).toBeCloseTo(0.0005, 9);
    const firstByte = await linesOf(metrics, "causeway_upstream_first_byte_seconds_count");
    expect(firstByte[0]).toMatch(/ 1$/);
  });

  test("show the streams in flight", async () => {
    const metrics = createMetrics();
    metrics.modelCalls.streamsInFlight.value += 2;
    metrics.modelCalls.streamsInFlight.value -= 1;
    expect(await linesOf(metrics, "causeway_streams_in_flight")).toEqual([
      "causeway_streams_in_flight 1",
    ]);
  });
});

describe("refusals", () => {
  test("are counted by the codes of the catalogue, and by no other", async () => {
    const metrics = createMetrics();
    metrics.errors.rejected("gateway", "byo_url");
    metrics.errors.rejected("gateway", "byo_url");
    metrics.errors.rejected("tools", "rate_limited");
    metrics.errors.rejected("gateway", "toString");
    expect(await linesOf(metrics, "causeway_refusals_total")).toEqual([
      'causeway_refusals_total{service="gateway",code="byo_url"} 2',
      'causeway_refusals_total{service="tools",code="rate_limited"} 1',
    ]);
  });
});

describe("process metrics", () => {
  test("show the event loop, the database pool and the connections of each port", async () => {
    const metrics = createMetrics();
    const failures = { overloaded: 2, away: 1 };
    metrics.observeDatabasePool(() => ({ used: 1, free: 3, waiting: 0, failures }));
    metrics.observeChangeFeed({ trusted: true });
    metrics.observeConnections("gateway", () => 7);
    metrics.observeConnections("tools", () => 2);
    const text = await metrics.render();
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).toContain('causeway_database_pool_connections{state="free"} 3');
    expect(text).toContain('causeway_database_connection_failures_total{reason="overloaded"} 2');
    expect(text).toContain('causeway_database_connection_failures_total{reason="away"} 1');
    expect(text).toContain("causeway_change_feed_trusted 1");
    expect(text).toContain('causeway_connections_open{service="gateway"} 7');
    expect(text).toContain('causeway_connections_open{service="tools"} 2');
  });

  test("are all that prom-client tells of a process, without its collections of garbage", async () => {
    const all = new Registry();
    collectDefaultMetrics({ register: all });
    const names = all.getMetricsAsArray().map(({ name }) => name);
    const text = await createMetrics().render();
    const missing = names.filter((name) => !text.includes(`# TYPE ${name} `));
    expect(missing).toEqual(["nodejs_gc_duration_seconds"]);
  });

  test("print what a scraper can read: one TYPE per name, escaped labels", async () => {
    const metrics = createMetrics();
    metrics.requests.recorder({ service: "gateway", method: "GET", route: 'a"\\\n' }).ended(200, 1);
    const text = await metrics.render();
    const types = text.split("\n").filter((line) => line.startsWith("# TYPE"));
    expect(new Set(types.map((line) => line.split(" ")[2])).size).toBe(types.length);
    expect(text).toContain('route="a\\"\\\\\\n"');
    expect(metrics.contentType).toContain("text/plain");
  });
});
