import { asJsonObjectOrEmpty, type JsonObject } from "../../platform/json-value.ts";
import { DependencyFileSyntaxError } from "../dependency-file.ts";
import { isValueNestedTooDeeply } from "./nesting.ts";

/** Parses a JSON object. Throws `DependencyFileSyntaxError`. */
export function parseJsonObject(text: string): JsonObject {
  const value = parse(text);
  if (isValueNestedTooDeeply(value))
    throw new DependencyFileSyntaxError("invalid_json: it nests too deep");
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return asJsonObjectOrEmpty(value);
  throw new DependencyFileSyntaxError("invalid_json: it is no object", 1);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    // Where the parser does not say the line, the text has ended too early.
    const line = Number(/line (\d+)/.exec(message)?.[1] ?? text.split("\n").length);
    throw new DependencyFileSyntaxError(
      "invalid_json: comments and trailing commas are no JSON",
      line,
    );
  }
}
