import { asString, type JsonObject } from "../json.ts";
import { reduceSchema } from "../strict-schema.ts";
import type { OutputFormat } from "../turn.ts";
import { objectSchema } from "./encode-tools.ts";
import type { WireObject } from "./wire.ts";
import type { Writing } from "./writing.ts";

/** How the shape of the answer is asked for. */
export interface EncodedFormat {
  /** `output_config.format`. */
  readonly format?: WireObject;
  /** The tool that the model answers through where the upstream has no formats. */
  readonly tool?: WireObject & { readonly name: string };
  /** A sentence for the system text. */
  readonly sentence?: string;
}

/** Structured output: native, through a hidden tool, or by asking for it. */
export function encodeFormat(writing: Writing): EncodedFormat {
  const { format } = writing.turn;
  if (format === undefined) return {};
  if (format.kind === "json") {
    writing.ledger.approximate(format.path, "unsupported");
    return { sentence: "Answer with one JSON object and nothing else." };
  }
  return writing.capabilities.structured === "native"
    ? { format: encodeSchema(writing, format) }
    : { tool: encodeHiddenTool(writing, format) };
}

type SchemaFormat = Extract<OutputFormat, { kind: "schema" }>;

/**
 * Name and strictness have no place: the vendor always enforces the schema. A
 * description goes to the schema, where the model reads it just as well.
 */
function encodeSchema({ turn, ledger }: Writing, format: SchemaFormat): WireObject {
  if (turn.origin === "dialect_messages") return { type: "json_schema", schema: format.schema };
  const { schema, isChanged } = reduceSchema(withDescription(format));
  if (isChanged) ledger.approximate(format.path, "schema");
  return { type: "json_schema", schema };
}

function withDescription({ schema, description }: SchemaFormat): JsonObject {
  if (description === undefined || "$ref" in schema) return schema;
  const own = asString(schema["description"]);
  return { ...schema, description: own === undefined ? description : `${description}\n\n${own}` };
}

function encodeHiddenTool(writing: Writing, format: SchemaFormat) {
  const { ledger } = writing;
  ledger.approximate(format.path, "wrapped");
  const schema = objectSchema(format.schema);
  if (schema["type"] !== "object") {
    ledger.refuse(format.path, "The schema of an answer must be of type `object` at its root.");
  }
  return {
    name: freeName(writing),
    description: ["Gives the final answer, as JSON.", format.description].filter(Boolean).join(" "),
    input_schema: schema,
  };
}

/** `json`, unless the caller has a tool of that name. */
function freeName({ turn, names }: Writing): string {
  const taken = new Set(
    turn.tools.flatMap((tool) =>
      tool.type === "hosted" ? [] : [names.of(tool.name, tool.namespace)],
    ),
  );
  let name = "json";
  while (taken.has(name)) name += "_";
  return name;
}
