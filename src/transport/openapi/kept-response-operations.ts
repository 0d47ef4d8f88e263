import type { ErrorCode } from "../../platform/errors.ts";
import type { DescribedOperation, OperationGroup } from "./described-operation.ts";
import type { Parameter, Response, Schema } from "./document-types.ts";

/**
 * What a responses caller can do with an answer that was kept (contract section
 * 5). They speak the responses dialect, so they are not in the contract and are
 * described here.
 */
export function keptResponseOperations(): OperationGroup {
  return {
    tag: { name: "Kept responses", description: "Answers to responses callers, as they were." },
    operations: [
      keptResponse({
        operationId: "getResponse",
        httpMethod: "get",
        path: "/v1/responses/{id}",
        summary: "The kept response",
        responses: responseObject,
      }),
      keptResponse({
        operationId: "cancelResponse",
        httpMethod: "post",
        path: "/v1/responses/{id}/cancel",
        summary: "Ends what still runs; a response that has ended stays as it is",
        responses: responseObject,
      }),
      keptResponse({
        operationId: "deleteResponse",
        httpMethod: "delete",
        path: "/v1/responses/{id}",
        summary: "Forgets the response; calls cannot go on from it any more",
        responses: { "200": jsonAnswer("It is gone.", deletedResponse) },
      }),
    ],
  };
}

function keptResponse(
  operation: Pick<
    DescribedOperation,
    "operationId" | "httpMethod" | "path" | "summary" | "responses"
  >,
): DescribedOperation {
  return {
    ...operation,
    credentials: ["key"],
    scope: "gateway:invoke",
    parameters: [idParameter],
    errorCodes,
    errorForm: "chat",
  };
}

const idParameter: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "`resp_…`, as `id` of the answer.",
  schema: { type: "string" },
};

const deletedResponse: Schema = {
  type: "object",
  properties: {
    id: { type: "string" },
    object: { type: "string", enum: ["response"] },
    deleted: { type: "boolean" },
  },
  required: ["id", "object", "deleted"],
};

const responseObject: Readonly<Record<string, Response>> = {
  "200": jsonAnswer("The response object of the responses dialect, as its caller got it.", {
    type: "object",
    additionalProperties: true,
  }),
};

function jsonAnswer(description: string, schema: Schema): Response {
  return { description, content: { "application/json": { schema } } };
}

const errorCodes: readonly ErrorCode[] = [
  "invalid_request",
  "unauthorized",
  "insufficient_scope",
  "not_found",
  "internal_error",
  "unavailable",
];
