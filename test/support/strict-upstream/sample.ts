import { asArray, asObject, asString, type JsonObject } from "../../../src/dialect/json.ts";

/** A value that the schema allows; names and numbers are taken from the prompt. */
export function sampleOf(schema: JsonObject, prompt: string): unknown {
  const [choice] = asArray(schema["enum"]);
  if ("const" in schema) return schema["const"];
  if (choice !== undefined) return choice;
  const [branch] = [...asArray(schema["anyOf"]), ...asArray(schema["oneOf"])];
  if (branch !== undefined) return sampleOf(asObject(branch) ?? {}, prompt);
  return sampleOfType(
    asString(schema["type"]) ?? asString(asArray(schema["type"])[0]),
    schema,
    prompt,
  );
}

function sampleOfType(type: string | undefined, schema: JsonObject, prompt: string): unknown {
  switch (type) {
    case "string":
      return /\b(?:in|of|for) ([A-Z]\w+)/.exec(prompt)?.[1] ?? "text";
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? /\d+/.exec(prompt)?.[0] ?? 1);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [sampleOf(asObject(schema["items"]) ?? { type: "string" }, prompt)];
    default:
      return sampleObject(asObject(schema["properties"]) ?? {}, prompt);
  }
}

function sampleObject(properties: JsonObject, prompt: string): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      sampleOf(asObject(schema) ?? {}, prompt),
    ]),
  );
}
