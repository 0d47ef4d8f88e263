import type { DescService } from "@bufbuild/protobuf";
import { OpenApiComponents } from "./components.ts";
import { buildOpenApiOperation, type OpenApiOperationGroup } from "./described-operation.ts";
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from "./document-types.ts";
import { openApiErrorSchemas } from "./error-schemas.ts";
import { observabilityOpenApiOperations } from "./health-operations.ts";
import type { DocumentedBodyLimits } from "./request-parts.ts";
import { buildSecurityRequirements, openApiSecuritySchemes } from "./security.ts";
import { describeRpcServiceOperations } from "./service-operations.ts";

export interface OpenApiDocumentOptions {
  readonly info: OpenApiDocument["info"];
  /** Public address of the service, if one is configured; else paths are relative to the document. */
  readonly serverUrl?: string | undefined;
  /** Routes that are not in the contract, the model calls for instance. */
  readonly handWritten: readonly OpenApiOperationGroup[];
  /** The services that are mounted. */
  readonly services: readonly DescService[];
  readonly bodyLimits: DocumentedBodyLimits;
}

/**
 * The OpenAPI 3.1 document of one port: hand-written operations, those of the
 * mounted services in their order, and the routes that watch the process. The
 * same input gives the same bytes.
 */
export function buildOpenApiDocument(options: OpenApiDocumentOptions): OpenApiDocument {
  const components = new OpenApiComponents();
  const groups = [
    ...options.handWritten,
    ...options.services.map((it) =>
      describeRpcServiceOperations(it, components, options.bodyLimits),
    ),
    observabilityOpenApiOperations,
  ];
  const paths = pathsOf(groups, components);
  return {
    openapi: "3.1.0",
    info: options.info,
    servers: [{ url: options.serverUrl ?? "/" }],
    tags: groups.map(({ tag }) => tag),
    paths,
    components: {
      schemas: { ...components.schemas(), ...errorComponents(groups) },
      responses: components.responses(),
      headers: responseHeaders,
      securitySchemes: usedSchemes(groups),
    },
  };
}

function pathsOf(
  groups: readonly OpenApiOperationGroup[],
  components: OpenApiComponents,
): OpenApiDocument["paths"] {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const ids = new Set<string>();
  for (const { tag, operations } of groups) {
    for (const operation of operations) {
      const { operationId, httpMethod, path } = operation;
      if (ids.has(operationId)) throw new Error(`two operations are called ${operationId}`);
      ids.add(operationId);
      const item = (paths[path] ??= {});
      item[httpMethod] = buildOpenApiOperation(operation, tag.name, components);
    }
  }
  return paths;
}

/** The error forms that occur. */
function errorComponents(groups: readonly OpenApiOperationGroup[]): Record<string, OpenApiSchema> {
  const operations = groups.flatMap((group) => group.operations);
  const used = new Set(operations.map(({ errorFormat: errorForm }) => errorForm));
  const forms = [...used]
    .map((form) => openApiErrorSchemas[form])
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return Object.fromEntries(forms.map(({ name, schema }) => [name, schema]));
}

function usedSchemes(
  groups: readonly OpenApiOperationGroup[],
): OpenApiDocument["components"]["securitySchemes"] {
  const used = new Set(
    groups.flatMap(({ operations }) =>
      operations.flatMap((it) => buildSecurityRequirements(it).flatMap(Object.keys)),
    ),
  );
  return Object.fromEntries(
    Object.entries(openApiSecuritySchemes).filter(([name]) => used.has(name)),
  );
}

const responseHeaders: OpenApiDocument["components"]["headers"] = {
  RequestId: {
    description: "Id of the request, the caller's own `x-request-id` where it sent a usable one.",
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds after which the request makes sense again.",
    schema: { type: "integer", minimum: 0 },
  },
};
