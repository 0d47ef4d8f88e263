import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { readRestFieldPolicy } from "../../contract/field-policy.ts";
import { readMethodPolicy } from "../../contract/method-policy.ts";
import { compileRequestParameterDecoder } from "../../contract/json/decode-text.ts";
import type { RestRule } from "../../contract/rest-rule.ts";
import type { OpenApiComponents } from "./components.ts";
import type {
  OpenApiContent,
  OpenApiParameter,
  OpenApiRequestBody,
  OpenApiSchema,
} from "./document-types.ts";
import { buildFieldSchema } from "./field-schema.ts";
import { buildMessageSchema, createOpenApiSchemaContext } from "./message-schema.ts";
import { methodBodyLimit } from "../body-limit.ts";
import { readFieldValidationRules } from "../../contract/field-rules.ts";

/** Bytes that bodies may have. */
export interface DocumentedBodyLimits {
  /** On methods with `large_body` and model calls. */
  readonly largeBytes: number;
}

/** Path fields first, then the query as the REST transport binds it, then the header that some take. */
export function buildOpenApiParameters(
  rule: RestRule,
  components: OpenApiComponents,
): OpenApiParameter[] {
  return [...fieldParameters(rule, components), ...idempotencyKey(rule.method)];
}

function fieldParameters(
  { method, pathFields, body }: RestRule,
  components: OpenApiComponents,
): OpenApiParameter[] {
  const context = createOpenApiSchemaContext(components, "request");
  const inPath = method.input.fields.filter(({ name }) => pathFields.includes(name));
  const inQuery =
    body === "*"
      ? []
      : method.input.fields.filter((field) => {
          const isBound = pathFields.includes(field.name) || field.name === body;
          return !isBound && compileRequestParameterDecoder(field) !== undefined;
        });
  return [
    ...inPath.map((field) => parameter(field, "path", buildFieldSchema(field, context))),
    ...inQuery.map((field) => parameter(field, "query", buildFieldSchema(field, context))),
  ];
}

/** A parameter describes itself, its schema only limits it. */
function parameter(
  { name }: DescField,
  place: "path" | "query",
  { description, ...schema }: OpenApiSchema,
): OpenApiParameter {
  return {
    name,
    in: place,
    ...(place === "path" && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  };
}

function idempotencyKey(method: DescMethod): OpenApiParameter[] {
  if (!readMethodPolicy(method).idempotent) return [];
  const description =
    "Repeating the request with the same key within 24 hours gives the first answer again. " +
    "Another body under the same key is 400, a request that still runs 409.";
  const schema = { type: "string", minLength: 1, maxLength: 255 } as const;
  return [{ name: "Idempotency-Key", in: "header", description, schema }];
}

/** The body of a method that reads one. */
export function buildOpenApiRequestBody(
  rule: RestRule,
  components: OpenApiComponents,
  limits: DocumentedBodyLimits,
): OpenApiRequestBody | undefined {
  if (rule.body === undefined) return undefined;
  const { method } = rule;
  return {
    required: mustHaveBody(rule),
    content: jsonContent(bodySchema(rule, components), rule.httpMethod === "PATCH"),
    "x-max-body-bytes": methodBodyLimit(method, limits.largeBytes),
  };
}

function bodySchema(
  { method, pathFields, body }: RestRule,
  components: OpenApiComponents,
): OpenApiSchema {
  const context = createOpenApiSchemaContext(components, "request");
  const { input } = method;
  const whole = input.fields.find(({ name }) => name === body);
  if (whole !== undefined) return buildFieldSchema(whole, context);
  const fields = input.fields.filter((field) => !pathFields.includes(field.name) && !isMask(field));
  return components.schema(input, "request", () => buildMessageSchema(input, fields, context));
}

/** A body of which nothing is required may be left out, but for a merge patch. */
function mustHaveBody({ method, body, pathFields }: RestRule): boolean {
  if (body !== "*" || method.input.fields.some(isMask)) return true;
  const inBody = method.input.fields.filter(({ name }) => !pathFields.includes(name));
  return inBody.some(
    (field) => readRestFieldPolicy(field).required || readFieldValidationRules(field).required,
  );
}

function isMask(field: DescField): boolean {
  return field.message?.typeName === FieldMaskSchema.typeName;
}

function jsonContent(schema: OpenApiSchema, isPatch: boolean): OpenApiContent {
  return {
    "application/json": { schema },
    ...(isPatch && { "application/merge-patch+json": { schema } }),
  };
}
