import type { OpenApiComponents } from "./components.ts";
import type { Operation, Parameter, RequestBody, Response, Tag } from "./document-types.ts";
import { errorResponses, type OperationErrors } from "./error-responses.ts";
import { describeCallers, describeSecurity, type Callers } from "./security.ts";

/** All that the document says of one operation, whether it comes from a descriptor or is written by hand. */
export interface DescribedOperation extends Callers, OperationErrors {
  readonly httpMethod: string;
  /** Path template: `/v1/teams/{team_id}`. */
  readonly path: string;
  readonly operationId: string;
  /** One line. */
  readonly summary: string;
  /** Further paragraphs; who may call is added. */
  readonly description?: string | undefined;
  readonly parameters?: readonly Parameter[] | undefined;
  readonly requestBody?: RequestBody | undefined;
  /** Everything but refusals, by status. */
  readonly responses: Readonly<Record<string, Response>>;
}

/** Operations that stand together in the document. */
export interface OperationGroup {
  readonly tag: Tag;
  readonly operations: readonly DescribedOperation[];
}

/** The operation object of OpenAPI. */
export function operationObject(
  operation: DescribedOperation,
  tag: string,
  components: OpenApiComponents,
): Operation {
  const { operationId, summary, description, parameters, requestBody, scope } = operation;
  const paragraphs = [description, describeCallers(operation)].filter((it) => it !== undefined);
  return {
    operationId,
    tags: [tag],
    summary,
    description: paragraphs.join("\n\n"),
    security: describeSecurity(operation),
    ...(scope !== undefined && { "x-required-scope": scope }),
    ...(parameters !== undefined && parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: {
      ...withRequestId(operation.responses),
      ...errorResponses(operation, components),
    },
  };
}

function withRequestId(responses: DescribedOperation["responses"]): Record<string, Response> {
  const requestId = { "x-request-id": { $ref: "#/components/headers/RequestId" } };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      return [status, { ...response, headers: { ...requestId, ...response.headers } }] as const;
    }),
  );
}
