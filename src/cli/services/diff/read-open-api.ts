import type { JsonValue } from "@bufbuild/protobuf";
import { parseDocument } from "yaml";
import { CallError } from "../../call-error.ts";
import { printable } from "../../cell.ts";
import { isJsonObject } from "../../../contract/json/decode-json.ts";
import { ComparedDocument } from "./open-api-document.ts";

/** Reads an OpenAPI 3.0 or 3.1 document, JSON or YAML, of a file. Throws a `CallError` for any other text. */
export function readOpenApi(file: string, text: string): ComparedDocument {
  const root = parse(file, text.replace(/^\u{feff}/u, ""));
  if (!isJsonObject(root)) throw new CallError(`${file}: is no OpenAPI document`);
  const version = root["openapi"] ?? root["swagger"];
  if (typeof version === "string" && /^3\.[01](\.|$)/.test(version))
    return new ComparedDocument(root);
  const found = version === undefined ? "" : `, but ${printable(JSON.stringify(version))}`;
  throw new CallError(`${file}: is no OpenAPI 3.0 or 3.1 document: \`openapi\` is neither${found}`);
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
    throw new CallError(`${file}: is neither JSON nor YAML: ${printable(error.message)}`);
  }
  try {
    return JSON.parse(JSON.stringify(document.toJS())) as JsonValue;
  } catch (cause) {
    // An alias that stands in itself, or for far too much.
    throw new CallError(
      `${file}: cannot be read: ${cause instanceof Error ? cause.message : "too much"}`,
    );
  }
}
