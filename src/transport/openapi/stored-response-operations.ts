import type { ErrorCode } from "../../platform/errors.ts";
import type { OpenApiOperationDescription, OpenApiOperationGroup } from "./described-operation.ts";
import type { OpenApiParameter, OpenApiResponse, OpenApiSchema } from "./document-types.ts";
import { queuePositionHeaderObject } from "./model-call-operations.ts";

/**
 * What a responses caller can do beside making answers. They speak the responses
 * dialect, so they are not in the contract and are described here.
 */
export function describeStoredResponseOperations(maxBodyBytes: number): OpenApiOperationGroup {
  return {
    tag: {
      name: "Kept responses",
      description:
        "Answers to responses callers, kept here or by the caller's own upstream that gave them, which is asked then.",
    },
    operations: [
      storedResponse({
        operationId: "getResponse",
        httpMethod: "get",
        path: "/v1/responses/{id}",
        summary: "The kept response, or what there is of one that is made in the background",
        parameters: [idParameter, ...replayParameters],
        responses: replayedResponse,
      }),
      storedResponse({
        operationId: "cancelResponse",
        httpMethod: "post",
        path: "/v1/responses/{id}/cancel",
        summary: "Ends what still runs; a response that has ended stays as it is",
        responses: responseObject,
      }),
      storedResponse({
        operationId: "deleteResponse",
        httpMethod: "delete",
        path: "/v1/responses/{id}",
        summary: "Forgets the response; calls cannot go on from it any more",
        responses: { "200": jsonResponse("It is gone.", deletedResponse) },
      }),
      storedResponse({
        operationId: "listResponseInputItems",
        httpMethod: "get",
        path: "/v1/responses/{id}/input_items",
        summary: "The items that the response was asked with, newest first",
        parameters: [idParameter, ...pageParameters],
        responses: {
          "200": jsonResponse("A page of them, as the dialect lists items.", anyObject),
        },
      }),
      dialectOperation({
        operationId: "countResponseInputTokens",
        httpMethod: "post",
        path: "/v1/responses/input_tokens",
        summary: "The input tokens of a call, as its vendor counts them, else estimated",
        requestBody: {
          required: true,
          content: { "application/json": { schema: anyObject } },
          "x-max-body-bytes": maxBodyBytes,
        },
        responses: { "200": jsonResponse("Their number.", tokenCount) },
        errorCodes: [...errorCodes, "request_too_large", "rate_limited"],
      }),
    ],
  };
}

type Described = Pick<
  OpenApiOperationDescription,
  "operationId" | "httpMethod" | "path" | "summary" | "responses"
>;

function storedResponse(
  operation: Described & Pick<OpenApiOperationDescription, "parameters">,
): OpenApiOperationDescription {
  return dialectOperation({
    parameters: [idParameter],
    ...operation,
    errorCodes: [...errorCodes, "not_found"],
  });
}

function dialectOperation(
  operation: Described &
    Pick<OpenApiOperationDescription, "parameters" | "requestBody" | "errorCodes">,
): OpenApiOperationDescription {
  return {
    ...operation,
    credentials: ["key"],
    scope: "gateway:invoke",
    errorFormat: "chat",
    relaysErrors: true,
  };
}

const idParameter: OpenApiParameter = {
  name: "id",
  in: "path",
  required: true,
  description: "`resp_…` or `turn_…`, as `id` of the answer.",
  schema: { type: "string" },
};

const replayParameters: readonly OpenApiParameter[] = [
  {
    name: "stream",
    in: "query",
    description: "`true`: its events, as they were sent and as they come, until the last.",
    schema: { type: "boolean" },
  },
  {
    name: "starting_after",
    in: "query",
    description: "With `stream`: only the events behind the one with this `sequence_number`.",
    schema: { type: "integer", minimum: 0 },
  },
];

const pageParameters: readonly OpenApiParameter[] = [
  {
    name: "limit",
    in: "query",
    description: "Items of a page. Omitted: 20.",
    schema: { type: "integer", minimum: 1, maximum: 100 },
  },
  {
    name: "after",
    in: "query",
    description: "The page after this item, the `last_id` of the page before.",
    schema: { type: "string" },
  },
  {
    name: "order",
    in: "query",
    description: "Omitted: `desc`.",
    schema: { type: "string", enum: ["asc", "desc"] },
  },
];

const anyObject: OpenApiSchema = { type: "object", additionalProperties: true };

const deletedResponse: OpenApiSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    object: { type: "string", enum: ["response"] },
    deleted: { type: "boolean" },
  },
  required: ["id", "object", "deleted"],
};

const tokenCount: OpenApiSchema = {
  type: "object",
  properties: {
    object: { type: "string", enum: ["response.input_tokens"] },
    input_tokens: { type: "integer" },
  },
  required: ["object", "input_tokens"],
};

const responseObject: Readonly<Record<string, OpenApiResponse>> = {
  "200": jsonResponse(
    "The response object of the responses dialect, as its caller got it.",
    anyObject,
  ),
};

const replayedResponse: Readonly<Record<string, OpenApiResponse>> = {
  "200": {
    description:
      "The response object of the responses dialect, or its events when `stream` is `true`.",
    headers: queuePositionHeaderObject,
    content: {
      "application/json": { schema: anyObject },
      "text/event-stream": { schema: { type: "string" } },
    },
  },
};

function jsonResponse(description: string, schema: OpenApiSchema): OpenApiResponse {
  return { description, content: { "application/json": { schema } } };
}

const errorCodes: readonly ErrorCode[] = [
  "invalid_request",
  "unauthorized",
  "insufficient_scope",
  "no_vendor_credential",
  "internal_error",
  "upstream_unreachable",
  "upstream_malformed",
  "unavailable",
  "upstream_timeout",
];
