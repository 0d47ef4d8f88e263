/** A JSON Schema of the 2020-12 dialect, as OpenAPI 3.1 embeds it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
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
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly contentEncoding?: string;
  readonly writeOnly?: boolean;
}

export type SchemaType = "string" | "boolean" | "integer" | "number" | "object" | "array" | "null";

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** Bodies by content type. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
  /** Bytes that the body may have; one more is 413. */
  readonly "x-max-body-bytes": number;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<
    Record<string, Reference | { readonly description: string; readonly schema: Schema }>
  >;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Scope that a caller key must hold. */
  readonly "x-required-scope"?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** Operations of one path by HTTP method in lower case. */
export type PathItem = Readonly<Record<string, Operation>>;

export interface Tag {
  readonly name: string;
  readonly description?: string;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<"title" | "version" | "description", string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, { description: string; schema: Schema }>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
