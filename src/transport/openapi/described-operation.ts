import type { OpenApiComponents } from "./components.ts";
import type {
  OpenApiOperation,
  OpenApiParameter,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiTag,
} from "./document-types.ts";
import { buildErrorResponses, type OperationErrors } from "./error-responses.ts";
import {
  formatCredentialRequirementsSentence,
  buildSecurityRequirements,
  type OperationSecurityRequirements,
} from "./security.ts";

/** All that the document says of one operation, whether it comes from a descriptor or is written by hand. */
export interface OpenApiOperationDescription
  extends OperationSecurityRequirements, OperationErrors {
  readonly httpMethod: string;
  /** Path template: `/v1/teams/{team_id}`. */
  readonly path: string;
  readonly operationId: string;
  /** One line. */
  readonly summary: string;
  /** Further paragraphs; who may call is added. */
  readonly description?: string | undefined;
  readonly parameters?: readonly OpenApiParameter[] | undefined;
  readonly requestBody?: OpenApiRequestBody | undefined;
  /** Everything but refusals, by status. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

/** Operations that stand together in the document. */
export interface OpenApiOperationGroup {
  readonly tag: OpenApiTag;
  readonly operations: readonly OpenApiOperationDescription[];
}

/** The operation object of OpenAPI. */
export function buildOpenApiOperation(
  operation: OpenApiOperationDescription,
  tag: string,
  components: OpenApiComponents,
): OpenApiOperation {
  const { operationId, summary, description, parameters, requestBody, scope } = operation;
  const paragraphs = [description, formatCredentialRequirementsSentence(operation)].filter(
    (it) => it !== undefined,
  );
  return {
    operationId,
    tags: [tag],
    summary,
    description: paragraphs.join("\n\n"),
    security: buildSecurityRequirements(operation),
    ...(scope !== undefined && { "x-required-scope": scope }),
    ...(parameters !== undefined && parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: {
      ...withRequestId(operation.responses),
      ...buildErrorResponses(operation, components),
    },
  };
}

function withRequestId(
  responses: OpenApiOperationDescription["responses"],
): Record<string, OpenApiResponse> {
  const requestId = { "x-request-id": { $ref: "#/components/headers/RequestId" } };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      return [status, { ...response, headers: { ...requestId, ...response.headers } }] as const;
    }),
  );
}
