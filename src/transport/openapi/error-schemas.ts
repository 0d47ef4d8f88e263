import type { OpenApiSchema } from "./document-types.ts";

interface ErrorSchema {
  /** Name of the component. */
  readonly name: string;
  readonly schema: OpenApiSchema;
  /** A schema that holds the code alone, at the place where the form has it. */
  readonly narrow: (code: OpenApiSchema) => OpenApiSchema;
}

const text: OpenApiSchema = { type: "string" };

const docUrl: OpenApiSchema = {
  type: "string",
  format: "uri",
  description: "Page that explains the code.",
};
const requestId: OpenApiSchema = {
  type: "string",
  description: "Equal to the `x-request-id` header.",
};
const param: OpenApiSchema = {
  type: "string",
  description: "Dotted path of the offending field. Only on `invalid_request`.",
};
const nullableParam: OpenApiSchema = { ...param, type: ["string", "null"] };
const nullableCode: OpenApiSchema = {
  type: ["string", "null"],
  description: "Code of the catalogue, or the upstream's.",
};
const byoUrl: OpenApiSchema = {
  type: "string",
  format: "uri",
  description: "Where to add budget or a credential of one's own. Only on `byo_url`.",
};

const flat: ErrorSchema = {
  name: "Error",
  schema: {
    type: "object",
    description: "A refusal.",
    properties: {
      error: { type: "string", description: "Code of the catalogue." },
      message: { type: "string", description: "What was wrong and what to do." },
      param,
      doc_url: docUrl,
      request_id: requestId,
      byo_url: byoUrl,
      suggestions: { type: "array", items: text, description: "Nearest known names." },
    },
    required: ["error", "message", "doc_url", "request_id"],
  },
  narrow: (code) => ({ properties: { error: code } }),
};

const chat: ErrorSchema = {
  name: "ChatError",
  schema: {
    type: "object",
    description: "A refusal in the form of the chat and responses dialects.",
    properties: {
      error: {
        type: "object",
        properties: {
          message: text,
          type: text,
          param: nullableParam,
          code: nullableCode,
          doc_url: docUrl,
          request_id: requestId,
          byo_url: byoUrl,
        },
        required: ["message", "type"],
      },
    },
    required: ["error"],
  },
  narrow: (code) => ({ properties: { error: { properties: { code } } } }),
};

const messages: ErrorSchema = {
  name: "MessagesError",
  schema: {
    type: "object",
    description: "A refusal in the form of the messages dialect.",
    properties: {
      type: { type: "string", const: "error" },
      error: {
        type: "object",
        properties: {
          type: text,
          message: text,
          details: {
            type: "object",
            properties: {
              error_code: nullableCode,
              param: nullableParam,
              doc_url: docUrl,
              byo_url: byoUrl,
              unsupported: {
                type: "array",
                items: text,
                description: "What a thread could not have. Only on `thread_unsupported_request`.",
              },
            },
          },
        },
        required: ["type", "message"],
      },
      request_id: requestId,
    },
    required: ["type", "error"],
  },
  narrow: (code) => ({
    properties: { error: { properties: { details: { properties: { error_code: code } } } } },
  }),
};

/** The forms in which refusals are written. */
export const openApiErrorSchemas = { flat, chat, messages };
