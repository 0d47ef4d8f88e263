import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMetrics, type Metrics } from "../../../src/platform/telemetry/metrics.ts";
import { getServerSpan } from "../../../src/platform/telemetry/server-spans.ts";
import {
  noTracer,
  type ServerSpanStart,
  type ServerSpanOutcome,
  type Tracer,
} from "../../../src/platform/telemetry/tracer.ts";
import { registerRequestTelemetry } from "../../../src/transport/health/request-telemetry.ts";
import { createProcessLoggersOnStream } from "../../../src/platform/log.ts";
import { registerHttpRequestScope } from "../../../src/transport/open-request-scope.ts";
import { startFront, until, type RunningHttpFront } from "../front/start-front.ts";

interface Observed extends RunningHttpFront {
  readonly metrics: Metrics;
  count(labels: string): Promise<number>;
}

async function startObserved(tracer: Tracer = noTracer): Promise<Observed> {
  const metrics = createMetrics();
  const running = await startFront((app) => {
    registerHttpRequestScope(
      app,
      createProcessLoggersOnStream({ write: () => undefined }, "silent"),
    );
    registerRequestTelemetry(app, { service: "gateway", metrics, tracer });
    app.get("/teams/:team_id", () => ({}));
    app.delete("/teams/:team_id", (_request, reply) => reply.code(204).send());
    app.get("/stream", (request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { "x-traced": String(getServerSpan(request.raw) !== undefined) });
      reply.raw.write("first");
    });
  });
  const count = async (labels: string): Promise<number> => {
    const text = await metrics.render();
    const line = text
      .split("\n")
      .find((it) => it.includes("requests_total") && it.includes(labels));
    return Number(line?.split(" ").at(-1) ?? 0);
  };
  return { ...running, metrics, count };
}

async function untilCounted(observed: Observed, labels: string, count: number): Promise<void> {
  while ((await observed.count(labels)) < count) await new Promise(setImmediate);
}

describe("registerRequestTelemetry()", () => {
  test("counts by the route's pattern, over HTTP/1.1 and HTTP/2", async () => {
    const observed = await startObserved();
    await (await fetch(`${observed.url}/teams/team_1`)).text();
    await fetch(`${observed.url}/teams/team_2`, { method: "DELETE" });
    const session = connectHttp2(observed.url);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":path": "/teams/team_3", ":method": "DELETE" });
    await once(stream.resume(), "close");
    await untilCounted(observed, 'method="DELETE",route="/teams/:team_id",status="2xx"', 2);
    await untilCounted(observed, 'method="GET",route="/teams/:team_id",status="2xx"', 1);
    expect(await observed.metrics.render()).not.toContain("team_1");
  });

  test("counts unknown paths and methods as one series", async () => {
    const observed = await startObserved();
    await (await fetch(`${observed.url}/a`)).text();
    await (await fetch(`${observed.url}/b`, { method: "PUT" })).text();
    await untilCounted(observed, 'method="any",route="unmatched",status="4xx"', 2);
    expect(await observed.metrics.render()).not.toContain('method="PUT"');
  });

  test("counts a caller that hangs up as 4xx", async () => {
    const observed = await startObserved();
    const stop = new AbortController();
    await fetch(`${observed.url}/stream`, { signal: stop.signal });
    stop.abort();
    await untilCounted(observed, 'route="/stream",status="4xx"', 1);
    expect(await observed.count('route="/stream",status="2xx"')).toBe(0);
  });

  test("gives each request a span with the caller's trace context", async () => {
    const calls: ServerSpanStart[] = [];
    const outcomes: ServerSpanOutcome[] = [];
    const observed = await startObserved({
      ...noTracer,
      enabled: true,
      startServerSpan(call) {
        calls.push(call);
        return { end: (outcome) => void outcomes.push(outcome) };
      },
    });
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const headers = { traceparent, "x-request-id": "abc", authorization: "Bearer cwk_secret" };
    const response = await fetch(`${observed.url}/teams/team_1?email=a@b.c`, { headers });
    await response.text();
    await until(() => outcomes.length === 1);
    expect(calls).toEqual([
      {
        service: "gateway",
        method: "GET",
        route: "/teams/:team_id",
        requestId: "abc",
        traceparent,
      },
    ]);
    expect(outcomes).toEqual([{ status: 200, errorCode: undefined }]);
  });

  test("lets a handler find the span of its request", async () => {
    const tracer: Tracer = {
      ...noTracer,
      enabled: true,
      startServerSpan: () => ({ end: () => {} }),
    };
    for (const [used, traced] of [
      [tracer, "true"],
      [noTracer, "false"],
    ] as const) {
      const observed = await startObserved(used);
      const stop = new AbortController();
      const response = await fetch(`${observed.url}/stream`, { signal: stop.signal });
      expect(response.headers.get("x-traced")).toBe(traced);
      stop.abort();
    }
  });
});
