/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 embeds it. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: OpenApiSchemaType | readonly OpenApiSchemaType[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: string | boolean;
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: OpenApiSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly propertyNames?: OpenApiSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly not?: OpenApiSchema;
  readonly contentEncoding?: string;
  readonly writeOnly?: boolean;
}

export type OpenApiSchemaType =
  | "string"
  | "boolean"
  | "integer"
  | "number"
  | "object"
  | "array"
  | "null";

export interface OpenApiRefObject {
  readonly $ref: string;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: OpenApiSchema;
}

/** Bodies by content type. */
export type OpenApiContent = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

export interface OpenApiRequestBody {
  readonly required: boolean;
  readonly content: OpenApiContent;
  /** Bytes that the body may have; one more is 413. */
  readonly "x-max-body-bytes": number;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<
    Record<
      string,
      OpenApiRefObject | { readonly description: string; readonly schema: OpenApiSchema }
    >
  >;
  readonly content?: OpenApiContent;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Scope that a caller key must hold. */
  readonly "x-required-scope"?: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: OpenApiRequestBody;
  readonly responses: Readonly<Record<string, OpenApiResponse | OpenApiRefObject>>;
}

/** Operations of one path by HTTP method in lower case. */
export type OpenApiPathItem = Readonly<Record<string, OpenApiOperation>>;

export interface OpenApiTag {
  readonly name: string;
  readonly description?: string;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<"title" | "version" | "description", string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly OpenApiTag[];
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly headers: Readonly<Record<string, { description: string; schema: OpenApiSchema }>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
