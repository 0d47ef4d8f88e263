import { jsonScalarTypeFlags, type ObjectShape, type InferredShape } from "../shape/shape.ts";
import type { HttpExchangeShapeParts } from "./exchange-parts.ts";
import { classifyHeaderSourceByName } from "./header-rules.ts";
import {
  inferredShapeToSchema,
  type ServiceDocumentPropertyBudget,
  type LearnedSchema,
} from "./schema.ts";
import type { PathTemplate } from "./templates.ts";

/** A parameter of an operation (OpenAPI 3.1, Parameter Object). */
interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: LearnedSchema;
}

type Content = Readonly<Record<string, { readonly schema?: LearnedSchema }>>;

/** One operation of a document (OpenAPI 3.1, Operation Object). */
export interface LearnedOperationObject {
  readonly operationId: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

/** Headers that OpenAPI says elsewhere: as media types and as security. */
const saidElsewhere = new Set(["accept", "content-type", "authorization"]);

/** Describes one operation of a template. */
export function buildLearnedOperation(
  operationId: string,
  template: PathTemplate,
  parts: HttpExchangeShapeParts,
  room: ServiceDocumentPropertyBudget,
): LearnedOperationObject {
  const parameters = [...pathParameters(template), ...namedParameters(parts)];
  const { body } = parts;
  return {
    operationId,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: body.required, content: contentOf(body.content, room) },
    }),
    responses: Object.fromEntries(
      parts.responses.map(([status, content]) => [status, responseObject(status, content, room)]),
    ),
  };
}

function pathParameters({ parameters }: PathTemplate): ParameterObject[] {
  return parameters.map(({ name, values }) => {
    return { name, in: "path", required: true, schema: textSchema(values) };
  });
}

/** Of the headers those that a caller chooses. */
function namedParameters({ query, headers }: HttpExchangeShapeParts): ParameterObject[] {
  const chosen = [...headers].filter(
    ([name]) => classifyHeaderSourceByName(name) === "caller" && !saidElsewhere.has(name),
  );
  return [
    ...[...query].map(([name, { required, shape }]) => {
      return { name, in: "query" as const, required, schema: textSchema(shape) };
    }),
    ...chosen.map(([name, { required, shape }]) => {
      return { name, in: "header" as const, required, schema: textSchema(shape) };
    }),
  ];
}

/** What is written as text is a string as soon as one value was no number, or no boolean. */
function textSchema({ scalars, format, items }: InferredShape): LearnedSchema {
  if (items !== undefined)
    return {
      type: "array",
      items: textSchema({ ...items, scalars: items.scalars | scalars, format: undefined }),
    };
  const numbers = jsonScalarTypeFlags.integer | jsonScalarTypeFlags.number;
  const isOneType = scalars === jsonScalarTypeFlags.boolean || (scalars & ~numbers) === 0;
  if (scalars !== 0 && isOneType) return inferredShapeToSchema({ scalars }, noPropertyBudget);
  const isPlain = scalars !== jsonScalarTypeFlags.string || format === undefined;
  return isPlain ? { type: "string" } : { type: "string", format };
}

const noPropertyBudget: ServiceDocumentPropertyBudget = { take: () => false };

function responseObject(
  status: string,
  content: ObjectShape["properties"],
  room: ServiceDocumentPropertyBudget,
): LearnedOperationObject["responses"][string] {
  return {
    description: `Status ${status}`,
    ...(content.size > 0 && { content: contentOf(content, room) }),
  };
}

/** A body of which nothing was learned has its media type only. */
function contentOf(
  content: ObjectShape["properties"],
  room: ServiceDocumentPropertyBudget,
): Content {
  return Object.fromEntries(
    [...content].map(([mediaType, { shape }]) => {
      const schema = inferredShapeToSchema(shape, room);
      return [mediaType, Object.keys(schema).length === 0 ? {} : { schema }];
    }),
  );
}
