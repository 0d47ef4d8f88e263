import { invalidRequest } from "../../platform/errors.ts";
import { missing, type BodyReader } from "../body-reader.ts";
import type { OutputFormat } from "../turn.ts";

/** `response_format`; `text` says nothing. */
export function decodeFormat(body: BodyReader): OutputFormat | undefined {
  const format = body.object("response_format");
  if (format === undefined) return undefined;
  const type = format.requiredString("type");
  if (type === "text") return undefined;
  if (type === "json_object") return { path: format.path, kind: "json" };
  if (type === "json_schema") return decodeSchema(format);
  const path = format.pathOf("type");
  throw invalidRequest(path, `\`${path}\` must be \`text\`, \`json_object\` or \`json_schema\`.`);
}

/** Without a schema it asks for any JSON object. */
function decodeSchema(format: BodyReader): OutputFormat {
  const named = format.object("json_schema") ?? missing(format.pathOf("json_schema"));
  const schema = named.object("schema");
  if (schema === undefined) return { path: format.path, kind: "json" };
  return {
    path: format.path,
    kind: "schema",
    name: named.string("name"),
    description: named.string("description"),
    schema: schema.value,
    strict: named.boolean("strict"),
  };
}
