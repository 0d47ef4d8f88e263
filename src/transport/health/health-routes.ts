import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { createReadinessChecker, type ReadinessCheck } from "./readiness.ts";

export interface HealthRoutesDependencies {
  /** By name, as `/readyz` shows them: `database`, `migrations`, `accepting` (not draining). */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics: Metrics;
}

/** Seconds after which asking `/readyz` again makes sense. */
const retryAfter = "1";

/** The routes that watch the process. They need no credential, read none and are never cached. */
export function registerHealthRoutes(
  app: FastifyInstance,
  { checks, metrics }: HealthRoutesDependencies,
): void {
  const readiness = createReadinessChecker(checks);
  app.get("/healthz", (_request, reply) => {
    return reply.header("cache-control", "no-store").send({ status: "ok" });
  });
  app.get("/readyz", async (_request, reply) => {
    const result = await readiness();
    if (result.status !== "ok") void reply.code(503).header("retry-after", retryAfter);
    return reply.header("cache-control", "no-store").send(result);
  });
  let rendering: Promise<string> | undefined;
  app.get("/metrics", async (_request, reply) => {
    // Requests at the same time share one text, because making it takes time of all others.
    rendering ??= metrics.render().finally(() => (rendering = undefined));
    const text = await rendering;
    return reply.header("cache-control", "no-store").type(metrics.contentType).send(text);
  });
}
