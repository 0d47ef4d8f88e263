import { fastify, type FastifyInstance } from "fastify";
import { describe, expect, test, vi } from "vitest";
import { createMetrics } from "../../../src/platform/telemetry/metrics.ts";
import { registerHealthRoutes } from "../../../src/transport/health/health-routes.ts";
import type { ReadinessCheck } from "../../../src/transport/health/readiness.ts";

function appWith(checks: Readonly<Record<string, ReadinessCheck>>): FastifyInstance {
  const app = fastify();
  registerHealthRoutes(app, { checks, metrics: createMetrics() });
  return app;
}

describe("GET /healthz", () => {
  test("is 200 whatever the checks say", async () => {
    const response = await appWith({ database: () => false }).inject("/healthz");
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ status: "ok" });
  });
});

describe("GET /readyz", () => {
  test("is 200 when every check holds", async () => {
    const response = await appWith({ database: async () => true, accepting: () => true }).inject(
      "/readyz",
    );
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: "ok",
      checks: { database: "ok", accepting: "ok" },
    });
    expect(response.headers["cache-control"]).toBe("no-store");
  });

  test("is 503 with retry-after when one fails or throws, and says which", async () => {
    const response = await appWith({
      database: () => Promise.reject(new Error("password=secret")),
      migrations: () => true,
      accepting: () => false,
    }).inject("/readyz");
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("1");
    expect(response.json()).toEqual({
      status: "unavailable",
      checks: { database: "failed", migrations: "ok", accepting: "failed" },
    });
  });

  test("is 503 when a check hangs", async () => {
    const response = await appWith({ database: () => new Promise(() => {}) }).inject("/readyz");
    expect(response.statusCode).toBe(503);
  });

  test("asks the database once for callers at the same time, and again later", async () => {
    let asked = 0;
    const app = appWith({
      database: async () => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return true;
      },
    });
    await Promise.all([app.inject("/readyz"), app.inject("/readyz"), app.inject("/readyz")]);
    expect(asked).toBe(1);
    await app.inject("/readyz");
    expect(asked).toBe(2);
  });
});

describe("GET /metrics", () => {
  test("prints the Prometheus text format", async () => {
    const response = await appWith({}).inject("/metrics");
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toContain("text/plain; version=0.0.4");
    expect(response.payload).toContain("# TYPE causeway_gateway_overhead_seconds histogram");
  });

  test("makes the text once for callers at the same time, and again later", async () => {
    const metrics = createMetrics();
    const render = vi.spyOn(metrics, "render");
    const app = fastify();
    registerHealthRoutes(app, { checks: {}, metrics });
    await Promise.all([app.inject("/metrics"), app.inject("/metrics"), app.inject("/metrics")]);
    expect(render).toHaveBeenCalledTimes(1);
    await app.inject("/metrics");
    expect(render).toHaveBeenCalledTimes(2);
  });
});
