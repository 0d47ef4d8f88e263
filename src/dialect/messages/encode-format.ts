import { asString, type JsonObject } from "../json.ts";
import { reduceToMessagesStrictSchema } from "../strict-schema.ts";
import type { StructuredOutputFormat } from "../neutral-request.ts";
import { toMessagesToolInputSchema } from "./encode-tools.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** How the shape of the answer is asked for. */
export interface MessagesEncodedOutputFormat {
  /** `output_config.format`. */
  readonly format?: MessagesWireObject;
  /** The tool that the model answers through where the upstream has no formats. */
  readonly tool?: MessagesWireObject & { readonly name: string };
  /** A sentence for the system text. */
  readonly instruction?: string;
}

/** Structured output: native, through a hidden tool, or by asking for it. */
export function encodeMessagesOutputFormat(
  writing: MessagesRequestEncodingContext,
): MessagesEncodedOutputFormat {
  const { format } = writing.request;
  if (format === undefined) return {};
  if (format.kind === "json") {
    writing.warnings.approximate(format.path, "unsupported");
    return { instruction: "Answer with one JSON object and nothing else." };
  }
  return writing.capabilities.structuredOutput === "native"
    ? { format: encodeSchema(writing, format) }
    : { tool: encodeHiddenTool(writing, format) };
}

type SchemaFormat = Extract<StructuredOutputFormat, { kind: "schema" }>;

/**
 * Name and strictness have no place: the vendor always enforces the schema. A
 * description goes to the schema, where the model reads it just as well.
 */
function encodeSchema(
  { request: turn, warnings: ledger }: MessagesRequestEncodingContext,
  format: SchemaFormat,
): MessagesWireObject {
  if (turn.origin === "dialect_messages") return { type: "json_schema", schema: format.schema };
  const { schema, isChanged } = reduceToMessagesStrictSchema(withDescription(format));
  if (isChanged) ledger.approximate(format.path, "schema");
  return { type: "json_schema", schema };
}

function withDescription({ schema, description }: SchemaFormat): JsonObject {
  if (description === undefined || "$ref" in schema) return schema;
  const own = asString(schema["description"]);
  return { ...schema, description: own === undefined ? description : `${description}\n\n${own}` };
}

function encodeHiddenTool(writing: MessagesRequestEncodingContext, format: SchemaFormat) {
  const { warnings: ledger } = writing;
  ledger.approximate(format.path, "wrapped");
  const schema = toMessagesToolInputSchema(format.schema);
  if (schema["type"] !== "object") {
    ledger.reject(format.path, "The schema of an answer must be of type `object` at its root.");
  }
  return {
    name: uniqueToolName(writing),
    description: ["Gives the final answer, as JSON.", format.description].filter(Boolean).join(" "),
    input_schema: schema,
  };
}

/** `json`, unless the caller has a tool of that name. */
function uniqueToolName({ request: turn, names }: MessagesRequestEncodingContext): string {
  const taken = new Set(
    turn.tools.flatMap((tool) =>
      tool.type === "hosted" ? [] : [names.of(tool.name, tool.namespace)],
    ),
  );
  let name = "json";
  while (taken.has(name)) name += "_";
  return name;
}
