import { getOption, type DescService } from "@bufbuild/protobuf";
import {
  ErrorForm as ErrorFormat,
  method as methodOption,
} from "../../../gen/ts/causeway/options/v1/options_pb.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import { readMethodPolicy } from "../../contract/method-policy.ts";
import { readRestRules, type RestRule } from "../../contract/rest-rule.ts";
import { findProtoComment, extractFirstSentence } from "../../contract/comments.ts";
import type { OpenApiComponents } from "./components.ts";
import type { OpenApiOperationDescription, OpenApiOperationGroup } from "./described-operation.ts";
import type { OpenApiResponse } from "./document-types.ts";
import { requireErrorCodeInCatalog } from "./error-responses.ts";
import { buildFieldSchema, buildOpenApiMessageReference } from "./field-schema.ts";
import { createOpenApiSchemaContext } from "./message-schema.ts";
import {
  buildOpenApiRequestBody,
  buildOpenApiParameters,
  type DocumentedBodyLimits,
} from "./request-parts.ts";

/** The REST operations of a service; streams have none. */
export function describeRpcServiceOperations(
  service: DescService,
  components: OpenApiComponents,
  limits: DocumentedBodyLimits,
): OpenApiOperationGroup {
  const description = findProtoComment(service.typeName);
  const rules = service.methods.flatMap(readRestRules);
  return {
    tag: {
      name: service.name.replace(/Service$/, ""),
      ...(description !== undefined && { description }),
    },
    operations: rules.map((rule) => describe(rule, components, limits)),
  };
}

function describe(
  rule: RestRule,
  components: OpenApiComponents,
  limits: DocumentedBodyLimits,
): OpenApiOperationDescription {
  const { method, httpMethod, template } = rule;
  const option = getOption(method, methodOption);
  const { credentials, scope } = readMethodPolicy(method);
  const comment = findProtoComment(`${method.parent.typeName}.${method.name}`) ?? method.name;
  const summary = extractFirstSentence(comment);
  return {
    httpMethod: httpMethod.toLowerCase(),
    path: template,
    operationId: option.operationId === "" ? method.localName : option.operationId,
    summary,
    description: comment === `${summary}.` ? undefined : comment,
    credentials,
    scope,
    parameters: buildOpenApiParameters(rule, components),
    requestBody: buildOpenApiRequestBody(rule, components, limits),
    responses: { [rule.successStatus.toString()]: successResponse(rule, components) },
    errorCodes: errorCodes(rule),
    errorFormat: option.errorForm === ErrorFormat.MESSAGES ? "messages" : "flat",
  };
}

/** Codes that every method of its kind can give, then those that its option names. */
function errorCodes({ method, body }: RestRule): ErrorCode[] {
  const { credentials, idempotent } = readMethodPolicy(method);
  const named = getOption(method, methodOption).errorCodes.map(requireErrorCodeInCatalog);
  return [
    "invalid_request",
    ...(credentials.length > 0 ? (["unauthorized", "insufficient_scope"] as const) : []),
    ...(idempotent ? (["conflict"] as const) : []),
    ...(body === undefined ? [] : (["request_too_large"] as const)),
    "rate_limited",
    "internal_error",
    "unavailable",
    ...named,
  ];
}

function successResponse(rule: RestRule, components: OpenApiComponents): OpenApiResponse {
  const { output } = rule.method;
  const description = findProtoComment(output.typeName) ?? "The answer.";
  if (rule.successStatus === 204) return { description: "Done; there is no body." };
  const context = createOpenApiSchemaContext(components, "answer");
  const field = output.fields.find(({ name }) => name === rule.responseBody);
  const schema =
    field === undefined
      ? buildOpenApiMessageReference(output, context)
      : buildFieldSchema(field, context);
  return { description, content: { "application/json": { schema } } };
}
