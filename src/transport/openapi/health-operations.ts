import type { OpenApiOperationDescription, OpenApiOperationGroup } from "./described-operation.ts";
import type { OpenApiContent, OpenApiSchema } from "./document-types.ts";

const readiness: OpenApiSchema = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["ok", "unavailable"] },
    checks: { type: "object", additionalProperties: { type: "string", enum: ["ok", "failed"] } },
  },
  required: ["status", "checks"],
};

/** The routes that watch the process, on every port. */
export const observabilityOpenApiOperations: OpenApiOperationGroup = {
  tag: {
    name: "Observation",
    description: "Whether the process lives, is ready, and what it does.",
  },
  operations: [
    observation("/healthz", "getHealth", "Tells that the process is up", {
      "200": { description: "It is.", content: json(health()) },
    }),
    observation("/readyz", "getReadiness", "Tells whether the service can take requests", {
      "200": { description: "It can.", content: json(readiness) },
      "503": {
        description: "It cannot: the database is away, migrations are not done, or it is draining.",
        headers: { "retry-after": { $ref: "#/components/headers/RetryAfter" } },
        content: json(readiness),
      },
    }),
    observation("/metrics", "getMetrics", "Prints the metrics in the Prometheus text format", {
      "200": {
        description: "The metrics.",
        content: { "text/plain": { schema: { type: "string" } } },
      },
    }),
  ],
};

function observation(
  path: string,
  operationId: string,
  summary: string,
  responses: OpenApiOperationDescription["responses"],
): OpenApiOperationDescription {
  const shared = {
    httpMethod: "get",
    credentials: [],
    errorCodes: [],
    errorFormat: "flat",
  } as const;
  return { ...shared, path, operationId, summary, responses };
}

function health(): OpenApiSchema {
  return {
    type: "object",
    properties: { status: { type: "string", const: "ok" } },
    required: ["status"],
  };
}

function json(schema: OpenApiSchema): OpenApiContent {
  return { "application/json": { schema } };
}
