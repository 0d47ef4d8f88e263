import type { JsonValue } from "@bufbuild/protobuf";
import { parseDocument } from "yaml";
import { CliError } from "../../cli-error.ts";
import { sanitizeTerminalLine } from "../../format-cell.ts";
import { isProtobufJsonObject } from "../../../contract/json/decode-json.ts";
import { OpenApiDiffDocument } from "./open-api-document.ts";

/** Reads an OpenAPI 3.0 or 3.1 document, JSON or YAML, of a file. Throws a `CliError` for any other text. */
export function parseOpenApiDocument(file: string, text: string): OpenApiDiffDocument {
  const root = parse(file, text.replace(/^\u{feff}/u, ""));
  if (!isProtobufJsonObject(root)) throw new CliError(`${file}: is no OpenAPI document`);
  const version = root["openapi"] ?? root["swagger"];
  if (typeof version === "string" && /^3\.[01](\.|$)/.test(version))
    return new OpenApiDiffDocument(root);
  const found =
    version === undefined ? "" : `, but ${sanitizeTerminalLine(JSON.stringify(version))}`;
  throw new CliError(`${file}: is no OpenAPI 3.0 or 3.1 document: \`openapi\` is neither${found}`);
}

/** JSON is YAML as well, but is read much faster as what it is. */
function parse(file: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return parsedYaml(file, text);
  }
}

function parsedYaml(file: string, text: string): JsonValue {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new CliError(`${file}: is neither JSON nor YAML: ${sanitizeTerminalLine(error.message)}`);
  }
  try {
    return JSON.parse(JSON.stringify(document.toJS())) as JsonValue;
  } catch (cause) {
    // An alias that stands in itself, or for far too much.
    throw new CliError(
      `${file}: cannot be read: ${cause instanceof Error ? cause.message : "too much"}`,
    );
  }
}
